/**
 * Time, by the wall and by the processor.
 */

export interface Cost {
  /** Of the whole process, its helper threads included: what garbage collection and compilation take is in it. */
  readonly processorMicros: number;
  /** By the wall. */
  readonly elapsedMicros: number;
}

export function costNow(): Cost {
  const { user, system } = process.cpuUsage();
  return { processorMicros: user + system, elapsedMicros: performance.now() * 1000 };
}

export const costSince = (start: Cost, end: Cost = costNow()): Cost => ({
  processorMicros: end.processorMicros - start.processorMicros,
  elapsedMicros: end.elapsedMicros - start.elapsedMicros,
});
