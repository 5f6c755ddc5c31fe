import type { JsonObject } from '@permitry/protocol';
import { assertScope } from '../access/assert-scope.ts';
import { type Caller, toActor } from '../access/caller.ts';
import { type FieldProblem, GateError } from '../kernel/errors.ts';
import { invalidFields } from '../kernel/invalid-fields.ts';
import { unknownProject } from '../kernel/not-found.ts';
import { parsePolicy } from '../policy/policy.ts';
import { changeProject } from '../projects/change-project.ts';
import type { PolicyVersion, Project } from '../projects/project.ts';
import { anotherInForce } from './another-in-force.ts';
import { applyPolicy } from './apply-policy.ts';
import { assertApproversKnown } from './assert-approvers-known.ts';
import type { PolicyDeps } from './policy-deps.ts';

export interface NewPolicy {
  projectId: string;
  document: JsonObject;
  /** The hash of the policy in force that the change was made from; refused when another one is in force by now. */
  ifMatch?: string;
}

export interface StoredPolicy {
  policy: PolicyVersion;
  /** What is accepted and yet deserves a second look; paths as in problems. */
  warnings: readonly FieldProblem[];
}

/**
 * Puts a new policy in force, from the next request on. The document in force already is answered as it is.
 *
 * Transactions run one after another, so two puts at once give two versions in a row, or, with `ifMatch`, one version
 * and one refusal.
 *
 * @throws GateError `forbidden` also where it takes a second person, `project_not_found`, `invalid_fields` (paths are
 *   JSON Pointers into the document),
 *   `approver_not_found`, `precondition_failed`
 */
export async function putPolicy(gate: PolicyDeps, caller: Caller, input: NewPolicy): Promise<StoredPolicy> {
  assertScope(caller, 'policies:write', input.projectId);
  const parsed = parsePolicy(input.document);
  if (!parsed.ok) throw invalidFields(...parsed.problems);
  const { policy } = parsed;

  return changeProject(gate, caller, input.projectId, 'policies:write', async (change) => {
    const { tx, project, caller: author } = change;
    const inForce = await tx.findPolicy(project.id);
    if (!inForce) throw unknownProject();
    if (input.ifMatch !== undefined && input.ifMatch !== inForce.hash) throw anotherInForce(inForce);
    const warnings = [...parsed.warnings, ...(await assertApproversKnown(tx, project.id, policy))];
    if (policy.hash === inForce.hash) return { policy: inForce, warnings };

    assertOnePersonEnough(project, author);
    const version = await applyPolicy(change, policy, inForce, { createdBy: toActor(author).display });
    return { policy: version, warnings };
  });
}

/**
 * Throws where a change of the policy takes a second person. The operator, who holds the database and the keys anyway,
 * is the way out when there is no second person left; the ledger names them.
 */
function assertOnePersonEnough(project: Project, caller: Caller): void {
  if (!project.policySecondPerson || caller.kind === 'operator') return;
  throw new GateError(
    'forbidden',
    'In this project a change of the policy takes a second person: propose it (POST …/policies/proposals), and have somebody else approve it.',
    { required: 'second_person' },
  );
}
