/** Texts that say why the gate did not accept a decision. */

export const pageFailed = 'Something on this page failed, and nothing was sent. Reload the page.';
export const alreadyApproved =
  'You have already approved this, perhaps in another window. More approvals are needed.';
export const expired = 'This request expired before your decision arrived. Your decision was not recorded.';
export const resolved = (status: string) => `Already ${status}. Your decision was not recorded.`;
export const decided = 'decided';
export const passkeyRequired =
  'Passkey required. Your decision was not recorded. Press Approve and confirm on your device.';
export const passkeyRefused =
  'Your passkey was not accepted, or came too late. Your decision was not recorded. Try again.';
export const deniedByPolicy = 'Policy now denies this action. The request was denied and nothing will run.';
export const noAccess = 'You no longer have access to this request. Your decision was not recorded.';
export const changed =
  'This request no longer matches what you reviewed. Your decision was not recorded. Reload the page.';
export const notRecorded = (because: string) => `${because} Your decision was not recorded.`;
export const passkeyNotUsed =
  'The passkey was not used. Your decision was not recorded. Try again when you are ready.';
