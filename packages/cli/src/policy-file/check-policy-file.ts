import type { FieldProblem } from '@permitry/server';
import { parsePolicy } from '@permitry/server/policy';
import type { FileProblem, PolicyFile } from './read-policy-file.ts';

interface Checked {
  problems: readonly FileProblem[];
  warnings: readonly FileProblem[];
  hash: string | null;
  rules: number;
}

/**
 * Checks form, patterns and expressions, and gives the position of each problem. It does not check people and groups,
 * which only a gate knows.
 */
export function checkPolicyFile(read: PolicyFile): Checked {
  if (!read.ok) return { problems: read.problems, warnings: [], hash: null, rules: 0 };
  const parsed = parsePolicy(read.document);
  const located = (found: readonly FieldProblem[]): FileProblem[] =>
    found
      .map(({ path, message }) => read.locate(path, message))
      .toSorted((a, b) => a.line - b.line || a.column - b.column);
  if (!parsed.ok) return { problems: located(parsed.problems), warnings: [], hash: null, rules: 0 };
  const { hash, document } = parsed.policy;
  const rules = Array.isArray(document.rules) ? document.rules.length : 0;
  return { problems: [], warnings: located(parsed.warnings), hash, rules };
}
