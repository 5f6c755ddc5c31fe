/** Texts of an approver's message that asks the requester for more time. */

export const title = 'Ask for more time';
export const send = 'Send message';
export const consequence =
  'The expiry doesn’t change. The requester is notified and can resubmit with more time. You can still decide until then.';
export const message = 'Message to the requester';
