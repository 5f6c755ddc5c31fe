import type { JsonObject } from '@permitry/protocol';
import { assertScope } from '../../access/assert-scope.ts';
import type { Caller } from '../../access/caller.ts';
import { insertProposal } from '../../four-eyes/insert-proposal.ts';
import type { PolicyProposal } from '../../four-eyes/policy-proposal.ts';
import { proposingPerson } from '../../four-eyes/proposing-person.ts';
import { type FieldProblem, GateError } from '../../kernel/errors.ts';
import type { Remember } from '../../kernel/idempotency.ts';
import { invalidFields } from '../../kernel/invalid-fields.ts';
import { unknownProject } from '../../kernel/not-found.ts';
import { parsePolicy } from '../../policy/policy.ts';
import { changeProject } from '../../projects/change-project.ts';
import { anotherInForce } from '../another-in-force.ts';
import { assertApproversKnown } from '../assert-approvers-known.ts';
import type { PolicyDeps } from '../policy-deps.ts';

export interface NewProposal {
  projectId: string;
  document: JsonObject;
  /** The reason, for the person who approves. */
  comment?: string;
  /** Hash of the active policy that the change is based on. The change is refused if another policy is active now. */
  ifMatch?: string;
}

export interface StoredProposal {
  proposal: PolicyProposal;
  /** The warnings that publishing it now would give. Paths as in problems. */
  warnings: readonly FieldProblem[];
}

/**
 * Proposes a policy for another person to publish. Checks the policy as if it were published now.
 *
 * @throws GateError `forbidden`, `project_not_found`, `invalid_fields` (paths into the policy start with `/policy`),
 * `approver_not_found`, `precondition_failed`, `conflict` for the policy that is already active, and when too many
 * changes are pending
 */
export async function proposePolicy(
  gate: PolicyDeps,
  caller: Caller,
  input: NewProposal,
  remember?: Remember<StoredProposal>,
): Promise<StoredProposal> {
  const { projectId, document, comment, ifMatch } = input;
  assertScope(caller, 'policies:write', projectId);
  proposingPerson(caller);
  const parsed = parsePolicy(document);
  if (!parsed.ok) {
    throw invalidFields(...parsed.problems.map(({ path, message }) => ({ path: `/policy${path}`, message })));
  }
  const { policy } = parsed;
  return changeProject(
    gate,
    caller,
    projectId,
    'policies:write',
    async (change) => {
      const { tx, project } = change;
      const inForce = await tx.findPolicy(project.id);
      if (!inForce) throw unknownProject();
      if (ifMatch !== undefined && ifMatch !== inForce.hash) throw anotherInForce(inForce);
      if (policy.hash === inForce.hash) {
        throw new GateError('conflict', 'This policy is already active; there is nothing to propose.', {});
      }
      const warnings = [...parsed.warnings, ...(await assertApproversKnown(tx, project.id, policy))];
      const proposal = await insertProposal(gate, change, {
        change: 'policy',
        hash: policy.hash,
        document: policy.document,
        comment: comment ?? null,
      });
      return { proposal, warnings };
    },
    remember,
  );
}
