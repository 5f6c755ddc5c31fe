import { People } from '../approvals/people.ts';
import { type FieldProblem, GateError } from '../kernel/errors.ts';
import type { CompiledPolicy } from '../policy/policy.ts';
import type { ProjectReader } from '../projects/project.ts';
import { checkApprovers } from './check-approvers.ts';

/** Refuses names that match nobody in the project. Warns about entries that too few people can approve today. */
export async function assertApproversKnown(
  tx: ProjectReader,
  projectId: string,
  policy: CompiledPolicy,
): Promise<readonly FieldProblem[]> {
  const people = new People(await tx.listMembers(projectId), await tx.listGroups(projectId));
  const { unknown, warnings } = checkApprovers(people, policy);
  if (unknown.length === 0) return warnings;
  throw new GateError(
    'approver_not_found',
    `No member, group or role of this project is named ${unknown.join(', ')}.`,
    { approvers: unknown },
  );
}
