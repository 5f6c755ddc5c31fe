import type { PermitRefusal } from '@permitry/protocol';
import { GateError } from '../kernel/errors.ts';

const SENTENCES: Record<PermitRefusal, string> = {
  malformed: 'This is not a well-formed permit.',
  tampered: 'The signature does not match: the permit was altered, or signed by someone else.',
  unknown_key: 'The permit is signed with a key this gate does not know.',
  expired: 'The permit has expired; ask for a fresh one.',
  not_yet_valid: 'The permit is not valid yet; check the clocks.',
  wrong_project: 'The permit belongs to another project.',
  action_mismatch: 'The permit was issued for another action.',
  params_mismatch: 'The permit was issued for other parameters.',
  already_used: 'The approval was already used. Each approval is valid for one use.',
  revoked: 'The approval was revoked.',
  agent_paused: 'The agent is paused.',
  agent_revoked: 'The agent has been revoked.',
  project_stopped: 'The project is stopped.',
  policy_changed: 'Policy now requires more than the approval behind this permit.',
  not_a_permit: 'This token is not a permit of this mode; it authorises nothing.',
};

/** The refusal of a permit. It means: do not run, the permit does not authorise this. */
export function permitInvalid(reason: PermitRefusal): GateError<'permit_invalid'> {
  return new GateError('permit_invalid', `${SENTENCES[reason]} Do not run the action.`, { reason });
}
