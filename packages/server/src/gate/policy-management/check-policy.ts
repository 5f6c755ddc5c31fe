import type { JsonObject } from '@permitry/protocol';
import { assertScope } from '../access/assert-scope.ts';
import type { Caller } from '../access/caller.ts';
import type { FieldProblem } from '../kernel/errors.ts';
import { type ExpressionPosition, positionInExpression } from '../policy/condition/expression-position.ts';
import { type CompiledPolicy, parsePolicy } from '../policy/policy.ts';
import { checkApprovers } from './check-approvers.ts';
import type { PolicyDeps } from './policy-deps.ts';

/** A problem or a warning; `place` is where in the expression at `path` it stands, when it stands in one. */
export interface PolicyFinding extends FieldProblem {
  place: ExpressionPosition | null;
}

export interface PolicyCheck {
  /** "sha256:…" over the canonical document; null while it has problems. */
  hash: string | null;
  /** What it would be refused for; paths are JSON Pointers into the document. */
  problems: readonly PolicyFinding[];
  /** What is accepted and yet deserves a second look. */
  warnings: readonly PolicyFinding[];
}

/**
 * Whether a document could be put in force, by the code that would do it. It changes nothing and records nothing.
 *
 * @throws GateError `project_not_found`, `forbidden`
 */
export async function checkPolicy(
  gate: Pick<PolicyDeps, 'projectSettings'>,
  caller: Caller,
  { projectId, document }: { projectId: string; document: JsonObject },
): Promise<PolicyCheck> {
  // As for a simulation: to compile a large policy takes as long as a hundred requests.
  assertScope(caller, 'policies:simulate', projectId);
  const { people } = await gate.projectSettings.current(projectId);
  const parsed = parsePolicy(document);
  if (!parsed.ok) return { hash: null, problems: parsed.problems.map(toFinding), warnings: [] };
  const { unknown, warnings } = checkApprovers(people, parsed.policy);
  const problems = unknown.flatMap((name) => strangerProblems(parsed.policy, name));
  return {
    hash: problems.length === 0 ? parsed.policy.hash : null,
    problems: problems.map(toFinding),
    warnings: [...parsed.warnings, ...warnings].map(toFinding),
  };
}

function toFinding({ path, message }: FieldProblem): PolicyFinding {
  const found = path.endsWith('/when') ? positionInExpression(message) : undefined;
  return found ? { path, ...found } : { path, message, place: null };
}

/** One for every place the name stands in. */
function strangerProblems({ entries }: CompiledPolicy, name: string): FieldProblem[] {
  return entries.flatMap(({ path, entry: { from, orNamed = [] } }) => {
    const problemsIn = (property: string, names: readonly string[]) =>
      names.flatMap((other, index) =>
        other === name
          ? {
              path: `${path}/${property}/${index}`,
              message: `No member, group or role of this project is named ${name}.`,
            }
          : [],
      );
    return [
      ...problemsIn(path === '/default' ? 'approvers' : 'from', from),
      ...problemsIn('or_named', orNamed),
    ];
  });
}
