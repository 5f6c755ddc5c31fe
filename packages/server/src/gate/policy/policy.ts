/** Owns the policy document: its form, its hash, and its rules ready for evaluation. */
import { hashJson, type JsonObject } from '@permitry/protocol';
import type { RequirementEntry } from '../approvals/requirement.ts';
import type { FieldProblem } from '../kernel/errors.ts';
import { checkShape } from './check-shape.ts';
import { type CompiledRule, checkEntry, compileRule, defaultEntryOf, toEntry } from './compile-rule.ts';
import { unitsPerCondition } from './condition/limits.ts';
import { MAX_DOCUMENT_BYTES, type PolicyDocument, type WrittenMandates } from './policy-document.ts';
import { RuleIndex } from './rule-index.ts';

/** A policy document, parsed, type-checked and ready for evaluation. */
export interface CompiledPolicy {
  /** "sha256:…" over the canonical document. */
  readonly hash: string;
  readonly document: JsonObject;
  /** The approvers if no rule names anyone. */
  readonly defaultEntry: RequirementEntry;
  /** Whether mandates may approve what the default requires. Undefined: it does not say. */
  readonly defaultMandates: WrittenMandates | undefined;
  /** Whether a request may narrow the approvers that the policy asks for. */
  readonly requesterMayNarrow: boolean;
  readonly rules: RuleIndex<CompiledRule>;
  /** Every entry of the document that names approvers, with its JSON Pointer. */
  readonly entries: readonly { path: string; entry: RequirementEntry }[];
  /** The units that each condition may cost. */
  readonly unitsPerCondition: number;
}

export type ParsedPolicy =
  | { ok: true; policy: CompiledPolicy; warnings: readonly FieldProblem[] }
  | { ok: false; problems: readonly FieldProblem[] };

/** Measures JSON.stringify: canonical JSON has another order of members, but the same length. */
function isTooLarge(document: JsonObject): boolean {
  return new TextEncoder().encode(JSON.stringify(document)).length > MAX_DOCUMENT_BYTES;
}

interface Compiled {
  rules: CompiledRule[];
  problems: FieldProblem[];
  warnings: FieldProblem[];
}

function under(prefix: string, problems: readonly FieldProblem[]): FieldProblem[] {
  return problems.map(({ path, message }) => ({ path: `${prefix}${path}`, message }));
}

function compileRules(document: PolicyDocument): Compiled {
  const compiled: Compiled = { rules: [], problems: [], warnings: [] };
  const names = new Set<string>();
  for (const [index, rule] of document.rules.entries()) {
    const findings = { problems: [] as FieldProblem[], warnings: [] as FieldProblem[] };
    if (names.has(rule.name)) {
      findings.problems.push({ path: '/name', message: `Another rule is named "${rule.name}".` });
    }
    names.add(rule.name);
    compiled.rules.push(compileRule(rule, findings));
    compiled.problems.push(...under(`/rules/${index}`, findings.problems));
    compiled.warnings.push(...under(`/rules/${index}`, findings.warnings));
  }
  return compiled;
}

function entriesOf(document: PolicyDocument): CompiledPolicy['entries'] {
  const ofRules = document.rules.flatMap((rule, index) =>
    (rule.require ?? []).map((entry, slot) => ({
      path: `/rules/${index}/require/${slot}`,
      entry: toEntry(entry),
    })),
  );
  return [{ path: '/default', entry: defaultEntryOf(document) }, ...ofRules];
}

/** Compiles a document, or returns every problem at once. Paths are JSON Pointers into the document. */
export function parsePolicy(document: JsonObject): ParsedPolicy {
  if (isTooLarge(document)) {
    const message = `A policy has at most ${MAX_DOCUMENT_BYTES / 1024} KiB; move what grows into groups or parameters.`;
    return { ok: false, problems: [{ path: '', message }] };
  }
  const shape = checkShape(document);
  if ('problems' in shape) return { ok: false, problems: shape.problems };

  const { rules, problems, warnings } = compileRules(shape.document);
  const defaultEntry = defaultEntryOf(shape.document);
  checkEntry(defaultEntry, { from: '/default/approvers', orNamed: '/default/or_named' }, { problems });
  if (problems.length > 0) return { ok: false, problems };

  const policy: CompiledPolicy = {
    hash: hashJson(document),
    document,
    defaultEntry,
    defaultMandates: shape.document.default.mandates,
    requesterMayNarrow: shape.document.requester_may_narrow ?? true,
    rules: new RuleIndex(rules.map((rule) => ({ rule, actions: rule.actions }))),
    entries: entriesOf(shape.document),
    unitsPerCondition: unitsPerCondition(rules.filter(({ condition }) => condition !== null).length),
  };
  return { ok: true, policy, warnings };
}
