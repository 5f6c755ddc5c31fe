import type { Caller } from '../access/caller.ts';
import { GateError } from '../kernel/errors.ts';
import type { Project } from '../projects/project.ts';

/**
 * Throws where a change of the policy takes a second person. The operator, who holds the database and the keys anyway,
 * is the way out when there is no second person left; the ledger names them.
 */
export function assertOnePersonEnough(project: Project, caller: Caller): void {
  if (!project.policySecondPerson || caller.kind === 'operator') return;
  throw new GateError(
    'forbidden',
    'In this project a change of the policy takes a second person: propose it (POST …/policies/proposals), and have somebody else approve it.',
    { required: 'second_person' },
  );
}
