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
  /** Hash of the active policy that the change is based on. The change is refused if another policy is active now. */
  ifMatch?: string;
}

export interface StoredPolicy {
  policy: PolicyVersion;
  /** Reasons for a second look at the accepted policy. Paths as in problems. */
  warnings: readonly FieldProblem[];
}

/**
 * Publishes a new policy for all later requests. If the document is already active, returns the active version.
 *
 * Transactions run one after another. So two concurrent calls create two consecutive versions, or, with `ifMatch`, one
 * version and one refusal.
 *
 * @throws GateError `forbidden` also where the two-person rule applies, `project_not_found`, `invalid_fields` (paths
 * are JSON Pointers into the document), `approver_not_found`, `precondition_failed`
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
 * Throws where the two-person rule applies. The operator is exempt, for projects that have lost their second person:
 * the operator has the database and the keys anyway. The audit log names the operator.
 */
function assertOnePersonEnough(project: Project, caller: Caller): void {
  if (!project.policySecondPerson || caller.kind === 'operator') return;
  throw new GateError(
    'forbidden',
    'This project has the two-person rule for policy changes. Propose the change (POST …/policies/proposals) for another person to approve.',
    { required: 'second_person' },
  );
}
