/** A schema breaks a rule: a mistake of whoever wrote it, found when it is sealed and before any file is touched. */

export class SchemaError extends TypeError {
  override readonly name = "SchemaError";
  readonly code = "schema";
  /** Where in the schema, such as `Note.tags[]`; empty for the schema itself. */
  readonly at: string;

  constructor(message: string, at = "", cause?: unknown) {
    super(at === "" ? message : `${at}: ${message}`, cause === undefined ? undefined : { cause });
    this.at = at;
  }
}
