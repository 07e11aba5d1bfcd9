/**
 * A document and its model on their way through random changes, transactions, batches, flushes and reopenings.
 *
 *  (1) After every step the document, what a new process would find in the file, and what a reader finds that knows
 *      descriptors only, all equal the model; nothing is leaked, nothing has two owners.
 *  (2) What a rolled back transaction leaves are the objects that were there before.
 */

import assert from "node:assert/strict";
import { MemoryFile } from "../../../storage/memory.ts";
import type { StorageFile } from "../../../storage/storage.ts";
import type { StoreOptions } from "../../options.ts";
import { ReadingFile } from "../../testing/reading-file.ts";
import { kladdeOn } from "../document/kladde.ts";
import { copyModel, normal } from "./models.ts";
import { Moves } from "./moves.ts";
import { observe, readByDescriptor, requirePlaces } from "./observe.ts";
import { change, everywhere, type Live, type Ref, somewhere } from "./operations.ts";
import { drawModel, inputOf, type Schema, type Spec, type Typed } from "./specs.ts";
import { Tape } from "./tape.ts";

const kladde = kladdeOn();

/** Thrown on purpose inside transactions. */
class TakenBack extends Error {}

/** Kinds of root that are the root object itself; others are read and written as `value`. */
const stable: readonly Spec["kind"][] = [
  "struct",
  "tuple",
  "text",
  "bytes",
  "vec",
  "packedVec",
  "smallVec",
  "map",
  "sortedMap",
  "set",
];

/** What a course needs of a file. */
interface Bytes extends StorageFile {
  bytes(): Uint8Array;
}

export class Course {
  readonly typed: Typed;
  readonly root: Ref;
  readonly log: string[] = [];
  readonly #options: StoreOptions;
  file: Bytes;
  doc: Live;
  model: unknown;
  readonly #moves = new Moves();
  /** Whether a flush may come while a transaction is open. */
  flushesInside = false;
  /** Inside a transaction the file lags behind. */
  #depth = 0;

  constructor(typed: Typed, tape: Tape, options: StoreOptions = {}, file: Bytes = new MemoryFile("course")) {
    this.typed = typed;
    this.#options = options;
    this.file = file;
    this.model = drawModel(typed.spec, tape);
    const init = () => inputOf(typed.spec, this.model) as never;
    this.doc = kladde.open(this.file, typed.schema, { ...options, init });
    const isStable = stable.includes(typed.spec.kind);
    this.root = {
      spec: typed.spec,
      live: () => (isStable ? this.doc : this.doc.value),
      model: () => this.model,
      put: (model) => {
        this.model = model;
      },
      ...(isStable ? {} : { assign: (input) => (this.doc.value = input) }),
    };
  }

  get handle(): ReturnType<typeof kladde.of> {
    return kladde.of(this.doc);
  }

  step(tape: Tape): void {
    const kind = tape.below(16);
    if (kind < 9) this.log.push(change(somewhere(this.root, tape), tape));
    else if (kind < 11) this.transaction(tape);
    else if (kind === 11) this.#batch(tape);
    else if (kind === 13 && this.flushesInside) this.#flush();
    else if (kind === 12 || (kind > 12 && this.#depth > 0)) this.move(tape);
    else if (kind === 13) this.#flush();
    else if (kind === 14) this.reopen();
    else this.#crash();
  }

  /** One step of an object's way out of the document or back. */
  move(tape: Tape): void {
    this.log.push(this.#moves.step(this.root, tape));
  }

  /** A transaction of some steps that may throw at its end. */
  transaction(tape: Tape, step: (tape: Tape) => void = (below) => this.step(below)): void {
    const isTakenBack = tape.oneIn(2);
    const steps = 1 + tape.below(5);
    this.inTransaction(() => {
      for (let at = 0; at < steps; at++) step(tape);
    }, isTakenBack);
  }

  /** A transaction of these steps, taken back at its end if `isTakenBack`, or when `steps` throws what `isExpected`. */
  inTransaction(
    steps: () => void,
    isTakenBack: boolean,
    isExpected: (cause: unknown) => boolean = () => false,
  ): void {
    const before = copyModel(this.model);
    const objects = this.#objects();
    this.log.push("transaction {");
    this.#depth++;
    try {
      this.handle.transaction(() => {
        steps();
        this.verifyLive();
        if (isTakenBack) throw new TakenBack();
      });
    } catch (cause) {
      if (!(cause instanceof TakenBack) && !isExpected(cause)) throw cause;
      this.model = before;
      assert.deepEqual(observe(this.typed.spec, this.root.live()), normal(before), "taken back");
      this.#sameObjects(objects);
      this.#moves.forget();
    } finally {
      this.#depth--;
    }
    this.log.push(isTakenBack ? "} taken back" : "} committed");
  }

  #batch(tape: Tape): void {
    this.log.push("batch {");
    this.handle.batch(() => {
      for (let steps = tape.below(4); steps >= 0; steps--)
        if (!tape.oneIn(4)) this.log.push(change(somewhere(this.root, tape), tape));
        else this.transaction(tape);
    });
    this.log.push("}");
  }

  #flush(): void {
    this.log.push("flush");
    this.handle.flush();
  }

  /** Closes the document and opens it again. */
  reopen(): void {
    this.log.push("reopen");
    this.handle.close();
    this.#open(this.file);
  }

  /** Goes on with what the file holds, as if the process had died. */
  #crash(): void {
    this.log.push("crash");
    this.#open(new MemoryFile("course", this.file.bytes()));
  }

  #open(file: Bytes): void {
    this.file = file;
    this.doc = kladde.open(file, this.typed.schema, { ...this.#options, mustExist: true });
    // Objects of a closed document are of no use to another one while a transaction is open.
    this.#moves.held = [];
    assert.equal(this.handle.stats().leaked, 0);
  }

  /** A course of its own that begins with `file`, which holds what `model` says. */
  from(file: Bytes, model: unknown): Course {
    const other = new Course(this.typed, new Tape([]), this.#options);
    other.#open(file);
    other.model = copyModel(model);
    return other;
  }

  #objects(): Live[] {
    return [...everywhere(this.root)].map((ref) => ref.live());
  }

  #sameObjects(before: readonly Live[]): void {
    const now = this.#objects();
    assert.equal(now.length, before.length);
    for (const [at, one] of now.entries()) assert.ok(Object.is(one, before[at]), "the same object as before");
  }

  verifyLive(): void {
    this.#moves.verify();
    assert.deepEqual(observe(this.typed.spec, this.root.live()), normal(this.model), "live");
    requirePlaces(this.root.live());
  }

  /** (1) of the head. */
  verify(): void {
    const expected = normal(this.model);
    this.verifyLive();
    this.handle.store.check();
    const bytes = this.file.bytes();
    assert.deepEqual(readDocument(this.typed, bytes), expected, "reopened");
    assert.deepEqual(readByDescriptor(this.typed, bytes), expected, "by descriptor");
  }
}

/** The value that a new process would find in the file `bytes`. */
export function readDocument({ spec, schema }: Typed, bytes: Uint8Array): unknown {
  const file = new ReadingFile("copy", bytes);
  const doc = kladde.open(file, schema as Schema, { readonly: true }) as Live;
  return observe(spec, stable.includes(spec.kind) ? doc : doc.value);
}
