/** For the tests of the command line: its output as text, and temporary files. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Writable } from "node:stream";
import { openNodeFile } from "../storage/node.ts";
import { dump } from "./dump.ts";
import { main } from "./main.ts";
import { Output } from "./output.ts";

/** Runs `step` with a fresh folder that is removed afterwards. */
export async function withFolder<T>(step: (folder: string) => T | Promise<T>): Promise<T> {
  const folder = mkdtempSync(path.join(tmpdir(), "kladde-"));
  try {
    return await step(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function collect(): { readonly out: Output; readonly text: () => string } {
  const parts: string[] = [];
  const sink = new Writable({
    decodeStrings: false,
    write(part: string, _encoding, done) {
      parts.push(part);
      done();
    },
  });
  return { out: new Output(sink), text: () => parts.join("") };
}

/** What `kladde dump` prints for the file at `name`. */
export async function dumpText(name: string, withHeader = false): Promise<string> {
  const { out, text } = collect();
  await dump(openNodeFile(name, "read"), withHeader, out);
  await out.flush();
  return text();
}

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly complaints: string;
}

/** The command in this process. */
export async function kladde(...words: string[]): Promise<Outcome> {
  const { out, text } = collect();
  const complaints: string[] = [];
  const code = await main(words, out, (line) => complaints.push(line));
  return { code, out: text(), complaints: complaints.join("\n") };
}
