/**
 * Reads a value of any type by its descriptor, checks everything a reader must check, and tells a sink what is there.
 *
 *  (1) No recursion over values: a document may be as deep as it has allocations.
 *  (2) Strict, the first fault throws `corrupt`. Lenient, it is a finding; what cannot be read is told as `broken`, and the
 *      walk goes on behind it where its length is known, else behind the range that it lies in.
 *  (3) An allocation is entered once, and steps and bytes are bounded, so a walk ends whatever the sizes claim.
 *  (4) The descriptors have passed the rules for types.
 *
 * Cost: one read of every reachable allocation; per value a few calls and, but for its own, no object.
 */

import type {
  Descriptor,
  EnumDescriptor,
  FieldDescriptor,
  OpaqueDescriptor,
  PrimitiveDescriptor,
  SmallDescriptor,
  VariantDescriptor,
  WrapperDescriptor,
} from "../types/descriptor.ts";
import { primitiveCodes } from "../types/descriptor.ts";
import { isOption } from "../types/shapes.ts";
import { pointerBytes } from "../types/slots.ts";
import { type Access, Range } from "./access.ts";
import { type Content, Contents } from "./content.ts";
import {
  type ElementsFrame,
  type FieldsFrame,
  type Frame,
  pathOf,
  type SingleFrame,
  type SlotsFrame,
} from "./frames.ts";
import { KeyRecorder, shortKey } from "./keys.ts";
import { Reading, type WalkOptions, type WalkResult } from "./reading.ts";
import {
  readPacked,
  readSlotted,
  readVarint,
  type ScalarFault,
  scalarBytes,
  scalarFault,
  scalarNext,
} from "./scalars.ts";
import type { Composite, Lost, ValueSink } from "./sink.ts";
import { decodeText } from "./text.ts";
import { readDiscriminant, Variants } from "./variants.ts";

const idMax = 2 ** 32 - 1;
const { u32 } = primitiveCodes;
const nothing = new Uint8Array(0);

export class ValueWalk {
  readonly #sink: ValueSink;
  readonly #reading: Reading;
  readonly #contents: Contents;
  readonly #variants = new Variants();
  readonly #keys = new KeyRecorder();
  readonly #frames: Frame[] = [];

  constructor(access: Access, sink: ValueSink, options: WalkOptions) {
    this.#sink = sink;
    this.#contents = new Contents(options.isRaw ?? false, options.vectors);
    this.#reading = new Reading(access, options, () => this.path);
  }

  /** Path of the value that is being read. */
  get path(): string {
    return pathOf(this.#frames);
  }

  /** Reads the value of type `type` that allocation `root` holds. */
  run(type: Descriptor, root: number): WalkResult {
    const range = this.#reading.enter(root);
    const bytes = this.#contents.slotBytes(type);
    const isPacked = bytes < 0;
    if (range === undefined) this.#broken(type, this.#reading.lost);
    else this.#enterContent(type, { kind: "single", type, isPacked, bytes }, range, root);
    for (let frame = this.#frames.at(-1); frame !== undefined; frame = this.#frames.at(-1)) {
      if (this.#reading.isOver) this.#abandon(frame.range);
      else this.#go(frame);
    }
    return this.#reading.result();
  }

  #go(frame: Frame): void {
    if (frame.kind === "fields") this.#goFields(frame);
    else if (frame.kind === "elements") this.#goElements(frame);
    else if (frame.kind === "slots") this.#goSlots(frame);
    else this.#goSingle(frame);
  }

  #goSingle(frame: SingleFrame): void {
    const { range } = frame;
    if (frame.begun++ === 0) {
      this.#value(frame.type, range, frame.isPacked);
      return;
    }
    if (frame.fillsRange && range.at < range.end && !range.isCut)
      this.#reading.fault("left-over", "the value ends before its bytes do", range.id);
    this.#pop();
  }

  #goFields(frame: FieldsFrame): void {
    const { fields, range, slotEnd } = frame;
    if (frame.begun < fields.length) {
      this.#value(fields[frame.begun++]!.type, range, frame.isPacked);
      return;
    }
    let isZero = true;
    for (; range.at < slotEnd; range.at++) isZero &&= range.bytes[range.at] === 0;
    if (!isZero) this.#reading.fault("padding", "the room behind a variant's fields is not zero", range.id);
    this.#pop();
  }

  #goElements(frame: ElementsFrame): void {
    const { range } = frame;
    if (range.at < range.end) {
      frame.begun++;
      this.#value(frame.element, range, frame.isPacked);
      return;
    }
    if (range.isCut) this.#sink.cut();
    this.#pop();
  }

  #goSlots(frame: SlotsFrame): void {
    const { range, type, stride } = frame;
    if (frame.begun === 1) {
      this.#endKey(frame);
      frame.begun = 2;
      this.#value(type.fields[2]!.type, range, false);
      return;
    }
    if (frame.begun === 2) frame.slot++;
    frame.begun = 0;
    for (; frame.slot * stride < range.end && !this.#reading.isOver; frame.slot++) {
      range.at = frame.slot * stride;
      if (!this.#isLive(range)) continue;
      range.at++;
      frame.begun = 1;
      this.#keys.begin();
      this.#value(type.fields[1]!.type, range, false);
      return;
    }
    if (range.isCut) this.#sink.cut();
    this.#pop();
  }

  #isLive({ bytes, at, id }: Range): boolean {
    this.#reading.step();
    const live = bytes[at]!;
    if (live > 1) this.#reading.fault("bool", "a slot is neither dead (0) nor live (1)", id);
    return live === 1;
  }

  #endKey(frame: SlotsFrame): void {
    const key = this.#keys.end();
    frame.key = shortKey(key ?? `slot ${frame.slot}`);
    if (key === undefined) return;
    if (frame.keys.has(key))
      this.#reading.fault("equal-keys", "an earlier entry has the same key", frame.range.id);
    frame.keys.add(key);
  }

  #value(declared: Descriptor, range: Range, isPackedPlace: boolean): void {
    let type = declared;
    let isPacked = isPackedPlace;
    this.#reading.step();
    for (; type.kind === "slotted" && !this.#reading.isOver; type = type.target) {
      isPacked = false;
      this.#reading.step();
    }
    if (type.kind === "primitive") this.#scalar(type, range, isPacked);
    else if (type.kind === "struct") {
      this.#enter("struct", type, 0, 0);
      this.#pushFields(range, type.fields, isPacked, -1, false);
    } else if (type.kind === "enum") this.#enum(type, range, isPacked);
    else if (type.kind === "pointer") this.#pointer(type, type, range, isPacked);
    else if (type.kind === "opaque") this.#opaque(type, range);
    else if (type.kind === "small" && isPacked) this.#small(type, range);
    else this.#giveUp(type, range, { rule: "misplaced", message: `a ${type.kind} type has no place here` });
  }

  #opaque(type: OpaqueDescriptor, range: Range): void {
    if (!this.#need(type, range, type.inlineBytes)) return;
    const at = range.at;
    range.at += type.inlineBytes;
    const bytes = range.bytes.slice(at, range.at);
    if (this.#keys.isActive) this.#keys.note(bytes.join(","));
    this.#sink.opaque(type, bytes);
  }

  #scalar(type: PrimitiveDescriptor, range: Range, isPacked: boolean): void {
    if (!isPacked && !this.#need(type, range, scalarBytes[type.code]!)) return;
    const value = isPacked
      ? readPacked(type.code, range.bytes, range.at, range.end)
      : readSlotted(type.code, range.bytes, range.at);
    if (!this.#advance(type, range)) return;
    if (this.#keys.isActive) this.#keys.noteScalar(value);
    this.#sink.scalar(type, value);
  }

  /** Moves behind what was read last and says what is wrong with it; false if the range had to be given up. */
  #advance(type: Descriptor, range: Range): boolean {
    const fault = scalarFault;
    if (fault !== undefined && scalarNext < 0) {
      this.#giveUp(type, range, fault);
      return false;
    }
    range.at = scalarNext;
    if (fault !== undefined) this.#reading.fault(fault.rule, fault.message, range.id);
    return true;
  }

  #enum(type: EnumDescriptor, range: Range, isPacked: boolean): void {
    const slotEnd = isPacked ? -1 : range.at + this.#contents.slotBytes(type);
    if (!isPacked && !this.#need(type, range, slotEnd - range.at)) return;
    const discriminant = readDiscriminant(type, range, isPacked);
    if (isPacked && !this.#advance(type, range)) return;
    const variant = this.#variants.of(type, discriminant);
    if (variant === undefined) {
      this.#unknownVariant(type, range, slotEnd, discriminant);
      return;
    }
    if (!isPacked) range.at += type.width;
    this.#enter("variant", type, 0, 0, variant);
    this.#pushFields(range, variant.fields, isPacked, slotEnd, isOption(type));
  }

  #unknownVariant(type: EnumDescriptor, range: Range, slotEnd: number, discriminant: number): void {
    const fault = {
      rule: "discriminant",
      message: `no variant has the discriminant ${discriminant}`,
    } as const;
    if (slotEnd < 0) this.#giveUp(type, range, fault);
    else {
      this.#reading.fault(fault.rule, fault.message, range.id);
      range.at = slotEnd;
      this.#broken(type);
    }
  }

  #small(type: SmallDescriptor, range: Range): void {
    if (!this.#need(type, range, 1)) return;
    const tag = range.bytes[range.at++]!;
    const { spilled } = type;
    if (tag === 255 && spilled.kind === "pointer") this.#pointer(type, spilled, range, true);
    else if (tag === 255) this.#pushSingle(range, spilled, true, true, false);
    else if (this.#need(type, range, tag)) {
      const at = range.at;
      range.at += tag;
      const inside = new Range(range.id, range.bytes, at, range.at, false);
      this.#enterContent(type, this.#contents.ofSmall(type), inside, 0);
    }
  }

  /** `type` is what the sink is told: the pointer's own, or that of the small value whose content has moved out. */
  #pointer(type: Descriptor, pointer: WrapperDescriptor, range: Range, isPacked: boolean): void {
    if (!isPacked && !this.#need(type, range, pointerBytes)) return;
    const { bytes, at, end } = range;
    const id = isPacked ? readVarint(bytes, at, end, idMax) : (readSlotted(u32, bytes, at) as number);
    if (!this.#advance(type, range)) return;
    const content = this.#contents.ofPointer(pointer);
    if (id === 0) {
      this.#null(type, content);
      return;
    }
    const inside = this.#reading.enter(id);
    if (inside === undefined) this.#broken(type, this.#reading.lost);
    else this.#enterContent(type, content, inside, id);
  }

  #null(type: Descriptor, content: Content): void {
    if (content.kind !== "single") this.#enterContent(type, content, new Range(0, nothing, 0, 0, false), 0);
    else if (type.kind === "small") {
      this.#reading.fault("dangling", "a small value has no content", 0);
      this.#broken(type);
    } else {
      if (this.#keys.isActive) this.#keys.note("null");
      this.#sink.none(type);
    }
  }

  #enterContent(type: Descriptor, content: Content, range: Range, id: number): void {
    const bytes = id === 0 ? range.end - range.at : this.#reading.size(id);
    if (content.kind === "text") this.#text(type, range, id, bytes);
    else if (content.kind === "bytes") this.#bytes(type, range, id, bytes);
    else if (content.kind === "elements") {
      const { element, isPacked, stride } = content;
      if (!isPacked) this.#wholeStrides(range, bytes, stride);
      this.#enter("elements", type, id, bytes);
      this.#frames.push({ kind: "elements", range, element, isPacked, begun: 0 });
    } else if (content.kind === "slots") {
      const { slot, stride } = content;
      this.#wholeStrides(range, bytes, stride);
      this.#enter("map", type, id, bytes);
      const keys = new Set<string>();
      this.#frames.push({ kind: "slots", range, type: slot, stride, keys, slot: 0, key: "", begun: 0 });
    } else {
      if (content.bytes >= 0 && content.bytes !== bytes) {
        const message = `the allocation has ${bytes} bytes, the value takes ${content.bytes}`;
        this.#reading.fault("size", message, id);
        if (range.end < content.bytes) {
          this.#broken(type);
          return;
        }
        range.end = content.bytes;
      }
      // The root's allocation is no value's content.
      const isSilent = this.#frames.length === 0;
      if (!isSilent) this.#enter(type.kind === "small" ? "small" : "box", type, id, bytes);
      this.#pushSingle(range, content.type, content.isPacked, isSilent, true);
    }
  }

  #pushFields(
    range: Range,
    fields: readonly FieldDescriptor[],
    isPacked: boolean,
    slotEnd: number,
    isOption: boolean,
  ): void {
    this.#frames.push({ kind: "fields", range, fields, isPacked, slotEnd, isOption, begun: 0 });
  }

  #pushSingle(
    range: Range,
    type: Descriptor,
    isPacked: boolean,
    isSilent: boolean,
    fillsRange: boolean,
  ): void {
    this.#frames.push({ kind: "single", range, type, isPacked, isSilent, fillsRange, begun: 0 });
  }

  /** Leaves out a part of an element at the end: of what was read, or of the allocation, which is a fault. */
  #wholeStrides(range: Range, bytes: number, stride: number): void {
    if (bytes % stride !== 0)
      this.#reading.fault("stride", `${bytes} bytes are no multiple of an element's ${stride}`, range.id);
    range.end -= range.end % stride;
  }

  #text(type: Descriptor, range: Range, id: number, bytes: number): void {
    this.#reading.stepOver(range.end - range.at);
    const text = decodeText(range);
    if (!text.isWellFormed) this.#reading.fault("utf-8", "the text is not well-formed UTF-8", range.id);
    if (this.#keys.isActive) this.#keys.noteScalar(text.value);
    this.#sink.text(type, text.value, id, bytes, range.isCut);
  }

  #bytes(type: Descriptor, range: Range, id: number, bytes: number): void {
    this.#reading.stepOver(range.end - range.at);
    const value = range.bytes.slice(range.at, range.end);
    if (this.#keys.isActive) this.#keys.note(`h${value.join(",")}`);
    this.#sink.bytes(type, value, id, bytes, range.isCut);
  }

  #enter(kind: Composite, type: Descriptor, id: number, bytes: number, variant?: VariantDescriptor): void {
    if (this.#keys.isActive) this.#keys.note(variant === undefined ? "(" : `${variant.name}(`);
    this.#sink.enter(kind, type, id, bytes, variant);
  }

  #pop(): void {
    const frame = this.#frames.pop()!;
    if (frame.kind === "single" && frame.isSilent) return;
    if (this.#keys.isActive) this.#keys.note(")");
    this.#sink.leave();
  }

  #need(type: Descriptor, range: Range, bytes: number): boolean {
    if (range.at + bytes <= range.end) return true;
    this.#giveUp(type, range, { rule: "ends-early", message: "the bytes end inside a value" });
    return false;
  }

  /** What follows in the range cannot be found. */
  #giveUp(type: Descriptor, range: Range, fault: ScalarFault): void {
    if (range.isCut && fault.rule === "ends-early") this.#sink.cut();
    else {
      this.#reading.fault(fault.rule, fault.message, range.id);
      this.#broken(type);
    }
    this.#abandon(range);
  }

  #abandon(range: Range): void {
    for (let frame = this.#frames.at(-1); frame?.range === range; frame = this.#frames.at(-1)) {
      // The key's notes are open while the key is read.
      if (frame.kind === "slots" && frame.begun === 1) this.#keys.end();
      this.#pop();
    }
  }

  #broken(type: Descriptor, lost?: Lost): void {
    this.#keys.noteBroken();
    this.#sink.broken(type, lost);
  }
}

/** See `ValueWalk`. */
export const walkValue = (
  access: Access,
  type: Descriptor,
  root: number,
  sink: ValueSink,
  options: WalkOptions,
): WalkResult => new ValueWalk(access, sink, options).run(type, root);
