/**
 * A set of numbers from 0 to 2^32 − 1 as bits, with the lowest member at hand: free pages, recyclable ids.
 *
 * Bits lie in chunks of 2^15, made when there are enough members, so one high number costs a list and not the range
 * below it. A chunk is one array of words: 1024 of bits, then 32 that summarise them, then one that summarises those.
 *
 *  (1) A summary bit is set exactly when the word below it is not zero; a bit of `#chunkSummary` likewise for the
 *      last word of a chunk, or for the list that stands for it.
 *  (2) `count` is the number of members.
 *  (3) Where `#chunks` has `none`, the members, `listedMax` at most, are in the ascending list of `#lists`, if any.
 *
 * Cost: every operation is a handful of word accesses, plus a scan of one word per 2^20 numbers for the chunk.
 * A chunk has 4.1 KiB and stays once made; a list takes some 100 bytes, and 8 a member.
 */

const chunkShift = 15;
const chunkBits = 1 << chunkShift;
const summaryAt = 1024;
const topAt = 1056;
const chunkWords = 1057;
const none: Uint32Array = new Uint32Array(chunkWords);
/** Members of a chunk up to which a list is enough. */
const listedMax = 16;

export class Bitmap {
  count = 0;
  /** By `number >>> 15`; `none` where nothing was ever added. */
  #chunks: Uint32Array[] = [none];
  #chunkSummary = new Uint32Array(1);
  readonly #lists = new Map<number, number[]>();

  has(i: number): boolean {
    const chunk = this.#chunks[i >>> chunkShift];
    if (chunk === undefined) return false;
    if (chunk === none) return this.#lists.get(i >>> chunkShift)?.includes(i) === true;
    return ((chunk[(i & (chunkBits - 1)) >>> 5]! >>> (i & 31)) & 1) === 1;
  }

  /** Whether it was not there before. */
  add(i: number): boolean {
    const c = i >>> chunkShift;
    if (c >= this.#chunks.length) this.#grow(c);
    const chunk = this.#chunks[c]!;
    if (chunk === none ? !this.#list(c, i) : !setBit(chunk, i)) return false;
    this.#chunkSummary[c >>> 5]! |= 1 << (c & 31);
    this.count++;
    return true;
  }

  /** Whether it was there. */
  delete(i: number): boolean {
    const c = i >>> chunkShift;
    const chunk = this.#chunks[c];
    if (chunk === undefined) return false;
    if (chunk === none) return this.#unlist(c, i);
    const word = (i & (chunkBits - 1)) >>> 5;
    const before = chunk[word]!;
    const after = (before & ~(1 << (i & 31))) >>> 0;
    if (after === before) return false;
    chunk[word] = after;
    if (after === 0) this.#clearSummaries(c, chunk, word);
    this.count--;
    return true;
  }

  /** −1 if there is none. */
  lowest(): number {
    return this.#lowestFromChunk(0);
  }

  /** Removes and returns the lowest; −1 if there is none. */
  takeLowest(): number {
    const i = this.#lowestFromChunk(0);
    if (i >= 0) this.delete(i);
    return i;
  }

  /**
   * The lowest member that is `from` or more; −1 if there is none. Iteration, without garbage and while members
   * change: `for (let i = set.next(0); i >= 0; i = set.next(i + 1))`.
   */
  next(from: number): number {
    if (from >= 2 ** 32) return -1;
    const c = from >>> chunkShift;
    const chunk = this.#chunks[c];
    if (chunk === undefined) return -1;
    if (chunk === none) return this.#lists.get(c)?.find((i) => i >= from) ?? this.#lowestFromChunk(c + 1);
    const word = (from & (chunkBits - 1)) >>> 5;
    const rest = (chunk[word]! >>> (from & 31)) << (from & 31);
    if (rest !== 0) return c * chunkBits + word * 32 + lowestBit(rest);
    const inChunk = nextWord(chunk, word + 1);
    return inChunk >= 0 ? c * chunkBits + inChunk : this.#lowestFromChunk(c + 1);
  }

  clear(): void {
    this.count = 0;
    this.#chunks = [none];
    this.#chunkSummary = new Uint32Array(1);
    this.#lists.clear();
  }

  #lowestFromChunk(from: number): number {
    const summary = this.#chunkSummary;
    let word = from >>> 5;
    if (word >= summary.length) return -1;
    let bits = (summary[word]! >>> (from & 31)) << (from & 31);
    while (bits === 0) {
      if (++word >= summary.length) return -1;
      bits = summary[word]!;
    }
    const c = word * 32 + lowestBit(bits);
    const chunk = this.#chunks[c]!;
    return chunk === none ? this.#lists.get(c)![0]! : c * chunkBits + nextWord(chunk, 0);
  }

  /** Adds to the list of chunk `c`; one that gets too long becomes the chunk. */
  #list(c: number, i: number): boolean {
    const list = this.#lists.get(c);
    if (list === undefined) {
      this.#lists.set(c, [i]);
      return true;
    }
    const behind = list.findIndex((other) => other >= i);
    if (list[behind] === i) return false;
    list.splice(behind < 0 ? list.length : behind, 0, i);
    if (list.length <= listedMax) return true;
    const chunk = new Uint32Array(chunkWords);
    for (const member of list) setBit(chunk, member);
    this.#chunks[c] = chunk;
    this.#lists.delete(c);
    return true;
  }

  #unlist(c: number, i: number): boolean {
    const list = this.#lists.get(c);
    const at = list === undefined ? -1 : list.indexOf(i);
    if (list === undefined || at < 0) return false;
    list.splice(at, 1);
    this.count--;
    if (list.length > 0) return true;
    this.#lists.delete(c);
    this.#chunkSummary[c >>> 5]! &= ~(1 << (c & 31));
    return true;
  }

  /** Makes room for chunk `c`: at least doubles, at most 2^17 entries. */
  #grow(c: number): void {
    const length = Math.min(2 ** 17, Math.max(c + 1, 2 * this.#chunks.length));
    while (this.#chunks.length < length) this.#chunks.push(none);
    const summary = new Uint32Array(Math.ceil(length / 32));
    summary.set(this.#chunkSummary);
    this.#chunkSummary = summary;
  }

  /** After `word` of `chunk` became zero. */
  #clearSummaries(c: number, chunk: Uint32Array, word: number): void {
    const s = word >>> 5;
    chunk[summaryAt + s]! &= ~(1 << (word & 31));
    if (chunk[summaryAt + s]! !== 0) return;
    chunk[topAt]! &= ~(1 << s);
    if (chunk[topAt]! === 0) this.#chunkSummary[c >>> 5]! &= ~(1 << (c & 31));
  }
}

/** Whether it was not set before. */
function setBit(chunk: Uint32Array, i: number): boolean {
  const word = (i & (chunkBits - 1)) >>> 5;
  const before = chunk[word]!;
  const after = (before | (1 << (i & 31))) >>> 0;
  if (after === before) return false;
  chunk[word] = after;
  chunk[summaryAt + (word >>> 5)]! |= 1 << (word & 31);
  chunk[topAt]! |= 1 << (word >>> 5);
  return true;
}

/** The lowest bit of `chunk` in words from `word` on, as an offset in the chunk; −1 if there is none. */
function nextWord(chunk: Uint32Array, word: number): number {
  if (word >= summaryAt) return -1;
  const s = word >>> 5;
  const bits = (chunk[summaryAt + s]! >>> (word & 31)) << (word & 31);
  if (bits !== 0) return bitIn(chunk, s * 32 + lowestBit(bits));
  if (s === 31) return -1;
  const top = (chunk[topAt]! >>> (s + 1)) << (s + 1);
  if (top === 0) return -1;
  const first = lowestBit(top);
  return bitIn(chunk, first * 32 + lowestBit(chunk[summaryAt + first]!));
}

function bitIn(chunk: Uint32Array, word: number): number {
  return word * 32 + lowestBit(chunk[word]!);
}

/** Position of the lowest set bit; `bits` is not zero. */
function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}
