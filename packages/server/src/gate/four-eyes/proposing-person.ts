import { type Caller, isPerson } from '../access/caller.ts';
import { GateError } from '../kernel/errors.ts';
import type { ProposalParty } from './policy-proposal.ts';

/**
 * A person, present or through their token. A service or the operator does not count as a person for the two-person
 * rule.
 */
export function proposingPerson(caller: Caller): ProposalParty {
  if (isPerson(caller)) return { id: caller.user.id, display: caller.user.email };
  throw new GateError(
    'forbidden',
    'Only people can propose and approve changes: signed in, or with their access token.',
    { required: 'person' },
  );
}
