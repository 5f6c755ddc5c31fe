import type { JsonObject } from '@permitry/protocol';
import type { FieldProblem } from '../kernel/errors.ts';

export interface ArgumentProblem extends FieldProblem {
  /** A required value is missing. */
  missing: boolean;
}

/** Checks arguments against JSON Schema. An implementation compiles each schema once. */
export interface ArgumentChecker {
  /**
   * Returns what is wrong with the arguments, with paths below `/arguments`; empty if they fit.
   *
   * @throws GateError `conflict` for a schema that cannot be used: unchecked arguments never pass
   */
  check(inputSchema: JsonObject, hash: string, given: JsonObject): readonly ArgumentProblem[];

  /** The effort of compiling a schema, counted in its parts. `check` bounds it for one schema. */
  effortFor(inputSchema: JsonObject): number;
}
