import type { JsonObject } from '@permitry/protocol';
import type { FieldProblem } from '../kernel/errors.ts';

export interface ArgumentProblem extends FieldProblem {
  /** The schema requires what is not there. */
  missing: boolean;
}

/** Knows JSON Schema. Behind it: a validator that compiles each schema once. */
export interface ArgumentChecker {
  /**
   * What is wrong with arguments by a tool's schema, with paths below `/arguments`; none: they fit.
   *
   * @throws GateError `conflict` for a schema that cannot be used: nothing is let through that was not looked at
   */
  check(inputSchema: JsonObject, hash: string, given: JsonObject): readonly ArgumentProblem[];

  /** What making a schema ready to check with takes, in parts of it; of one schema it is bounded by `check`. */
  effortFor(inputSchema: JsonObject): number;
}
