import type { FieldProblem } from '@permitry/server';
import { parsePolicy } from '@permitry/server/policy';
import type { FileProblem, PolicyFile } from './read-policy-file.ts';

interface Checked {
  problems: readonly FileProblem[];
  warnings: readonly FileProblem[];
  hash: string | null;
  rules: number;
}

/** Form, patterns and expressions, each problem with its place; what only a gate knows (its people and groups) is not asked. */
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
