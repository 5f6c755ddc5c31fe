import { type Caller, isPerson } from '../access/caller.ts';
import { GateError } from '../kernel/errors.ts';
import type { ProposalParty } from './policy-proposal.ts';

/** A person, present or through their token: neither a service nor the operator is one of two people. */
export function proposingPerson(caller: Caller): ProposalParty {
  if (isPerson(caller)) return { id: caller.user.id, display: caller.user.email };
  throw new GateError(
    'forbidden',
    'Changes are proposed and approved by people: with a session or a person’s token.',
    { required: 'person' },
  );
}
