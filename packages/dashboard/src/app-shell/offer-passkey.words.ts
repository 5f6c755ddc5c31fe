/** Texts of the offer to add a passkey after the first sign-in. */

export const title = 'Add a passkey';
export const lead = 'Next time, sign in with your fingerprint, face or security key.';
export const unsupported =
  'This browser doesn’t support passkeys. You can add one later under Account → Security, in another browser or on another device.';
export const purpose =
  'Anyone can verify approvals that you confirm with a passkey, without trusting this gate. High-risk requests may require one.';
export const name = 'Passkey name';
export const add = 'Add a passkey';
export const added = 'Passkey added.';
export const goToInbox = 'Go to the inbox';
export const skip = 'Not now, go to the inbox';
