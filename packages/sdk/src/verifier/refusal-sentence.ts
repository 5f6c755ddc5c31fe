import type { PermitRefusal } from '@permitry/protocol';

const SENTENCES: Readonly<Record<PermitRefusal | 'test_permit', string>> = {
  malformed: 'This is not a permit.',
  tampered: 'The signature of this permit is wrong: it was changed after it was signed.',
  unknown_key: 'This permit was signed with a key that the gate does not publish.',
  expired: 'This permit has expired; the requester can get a fresh one (intents.freshPermit).',
  not_yet_valid: 'This permit is not valid yet; is the clock of this machine behind?',
  wrong_project: 'This permit belongs to another gate or project.',
  test_permit: 'This permit belongs to a project in test mode. Set acceptTestPermits to accept it.',
  action_mismatch: 'This permit is for another action.',
  params_mismatch: 'This permit is for other parameters of the action.',
  already_used: 'The approval behind this permit was already used.',
  revoked: 'The approval behind this permit was revoked.',
  agent_paused: 'The agent that requested this permit is paused.',
  agent_revoked: 'The agent that requested this permit was revoked.',
  project_stopped: 'The project is stopped.',
  policy_changed: 'Policy now requires more than the approval behind this permit.',
  not_a_permit: 'This token is not a permit, but another token of the gate, such as a receipt.',
};

/** Says what was wrong, and what to do if anything can be done. */
export function refusalSentence(reason: PermitRefusal | 'test_permit'): string {
  return SENTENCES[reason];
}
