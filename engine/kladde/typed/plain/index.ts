/** Stored values without application types: read, checked, shown as trees. */

export { type Access, accessOf } from "./access.ts";
export type { ValueFinding, WalkOptions, WalkResult } from "./reading.ts";
export type { Scalar, ValueRule } from "./scalars.ts";
export type { Composite, ValueSink } from "./sink.ts";
export { readTree, type TreeOptions, type ValueKind, type ValueNode, type ValueTree } from "./tree.ts";
export { ValueWalk, walkValue } from "./walk.ts";
