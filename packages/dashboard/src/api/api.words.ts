/** What people read when the gate does not answer a call. */

export const late =
  'The gate took too long to answer. Your change may or may not have been made. Check before you try again.';
export const unreachable = 'The gate can’t be reached. Check your connection and try again.';
export const unexpected = (status: number) => `The gate answered with HTTP status ${status}. Try again.`;
