/** Texts of the form that resubmits a request. */

export const failed = 'Not resubmitted';
export const lifetime = 'Time to decide';
export const sameLifetime = 'Same as before';
export const resubmit = 'Resubmit';
export const consequence =
  'Sends the same action and parameters as a new request. Policy is evaluated again.';
export const consequenceInLive =
  'Sends the same action and parameters as a new request. Policy is evaluated again, and another person must decide it.';
