import type { JsonObject } from '@permitry/protocol';
import type { FieldProblem } from '../kernel/errors.ts';

export interface ArgumentProblem extends FieldProblem {
  /** A required value is missing. */
  missing: boolean;
}

/** Checks arguments against JSON Schema. An implementation compiles each schema once. */
export interface ArgumentChecker {
  /**
   * Returns the problems of the arguments, with paths below `/arguments`. Empty if there are none.
   *
   * @throws GateError `conflict` for a schema that cannot be used: unchecked arguments never pass
   */
  check(inputSchema: JsonObject, hash: string, given: JsonObject): readonly ArgumentProblem[];

  /** The effort of compiling a schema, counted in its parts. `check` limits the effort per schema. */
  effortFor(inputSchema: JsonObject): number;
}
