/** Texts that say why the reader can't approve a pending request. The list loads them without the parts that decide. */

export const viewer = 'You are a viewer in this project. Viewers can see requests but not decide them.';
export const notAnApprover = 'You’re not an approver for this request.';
export const ownRequest =
  'In live mode, another person must approve this: you resubmitted it, or a key or token of someone responsible for its requester added you to the project.';
export const personRequired = 'Only a signed-in person can approve this request.';
export const alreadyApproved = 'You approved this. More approvals are needed before it can run.';
export const deniedByPolicy =
  'Policy now denies this action, so it can’t be approved. Deny it, or let it expire.';
