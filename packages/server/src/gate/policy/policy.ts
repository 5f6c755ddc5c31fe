import type { JsonObject } from '@permitry/protocol';
import type { FieldProblem } from '../errors.ts';

/** A policy document, parsed, type-checked and ready to be asked. */
export interface CompiledPolicy {
  /** "sha256:…" over the canonical document. */
  readonly hash: string;
  readonly document: JsonObject;
}

export type ParsedPolicy =
  | { ok: true; policy: CompiledPolicy; warnings: readonly FieldProblem[] }
  | { ok: false; problems: readonly FieldProblem[] };

/** To be written. */
export declare function parsePolicy(document: JsonObject): ParsedPolicy;
