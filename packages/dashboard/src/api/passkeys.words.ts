/** What people read when a passkey is not used. */

export const passkeyCancelled =
  'No passkey was used: the prompt was cancelled or timed out. Try again, or use another method.';
export const passkeyExists = 'This device already has a passkey for your account.';
export const passkeyFailed = (reason: string) =>
  `This browser could not use a passkey (${reason || 'unknown error'}). Try another browser or device.`;
