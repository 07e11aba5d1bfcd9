/** placeholder until written */
import type { FlushContext } from "./flush/context.ts";
export function checkState(_context: FlushContext): void {}
