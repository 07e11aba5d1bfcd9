/** Layouts of values: descriptors, their tables in files, sizes, fingerprints, comparison. */

export { sameLayout } from "./compare.ts";
export { decodeTable, tableBytesMax } from "./decode.ts";
export * from "./descriptor.ts";
export { encodeTable } from "./encode.ts";
export { fingerprintBytes, fingerprintOf } from "./fingerprint.ts";
export { nodesOf, targetsOf } from "./graph.ts";
export { typeName } from "./name.ts";
export { checkDescriptor } from "./rules.ts";
export { isMapSlot, isOption, isText, isTuple, primitiveName } from "./shapes.ts";
export { packedOnly, pointerBytes, slotBytes } from "./slots.ts";
