/** Texts of the set-up page of a new gate. */

export const title = 'Set up this gate';
export const lead =
  'You are the first person here, and the owner of the first project. You can invite others later.';
export const emailHint = 'You sign in with it. It appears in each of your approvals.';
export const submit = 'Continue';

export const deadLinkOfNewGate =
  'This link is incomplete, has expired, or was replaced by a newer one. Create a new one on the gate’s machine.';
export const deadLinkOfOldGate =
  'This link is incomplete, has expired, or was already used. This gate is set up, so sign in.';
