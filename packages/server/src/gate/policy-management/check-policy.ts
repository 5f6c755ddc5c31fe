import type { JsonObject } from '@permitry/protocol';
import { assertScope } from '../access/assert-scope.ts';
import type { Caller } from '../access/caller.ts';
import type { FieldProblem } from '../kernel/errors.ts';
import { type ExpressionPosition, positionInExpression } from '../policy/condition/expression-position.ts';
import { type CompiledPolicy, parsePolicy } from '../policy/policy.ts';
import { checkApprovers } from './check-approvers.ts';
import type { PolicyDeps } from './policy-deps.ts';

/** A problem or a warning. `place` is its position in the expression at `path`, if known. */
export interface PolicyFinding extends FieldProblem {
  place: ExpressionPosition | null;
}

export interface PolicyCheck {
  /** "sha256:…" over the canonical document. Null if the document has problems. */
  hash: string | null;
  /** Reasons to refuse the document. Paths are JSON Pointers into the document. */
  problems: readonly PolicyFinding[];
  /** Reasons for a second look. The document is accepted. */
  warnings: readonly PolicyFinding[];
}

/**
 * Checks whether a document could be published, with the code that would publish it. Changes and records nothing.
 *
 * @throws GateError `project_not_found`, `forbidden`
 */
export async function checkPolicy(
  gate: Pick<PolicyDeps, 'projectSettings'>,
  caller: Caller,
  { projectId, document }: { projectId: string; document: JsonObject },
): Promise<PolicyCheck> {
  // Requires the scope of a simulation, because compiling a large policy takes as long as a hundred requests.
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

/** One problem for every place that contains the name. */
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
