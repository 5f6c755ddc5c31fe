/** Texts of the security page: the ways in which a person signs in and confirms decisions. */
import type { ReactNode } from 'react';
import { say } from '../../ui/say.ts';

export const passkeys = 'Passkeys';
export const passkeysLead =
  'Use your fingerprint, face or a security key to sign in, and to approve requests that require a passkey.';
export const addPasskey = 'Add a passkey';
export const passkeysUnsupported =
  'This browser doesn’t support passkeys. Add one in another browser or on another device.';
export const noPasskeys = 'No passkeys yet. High-risk requests may require one.';
export const synced = 'Synced';
export const syncedMeans = 'Stored by your password manager or platform, and available on your other devices';
export const choosePlace =
  'Next, your browser asks where to save it: on this device, on a phone or on a security key.';
export const continueAdding = 'Continue';
export const passkeyAdded = 'Passkey added.';
export const renamePasskey = 'Rename passkey';
export const passkeyRenamed = 'Passkey renamed.';
export const removePasskey = {
  title: 'Remove this passkey?',
  confirm: 'Remove passkey',
  done: 'Passkey removed.',
} as const;
export const removePasskeyConsequence = (name: ReactNode) =>
  say`${name} can no longer sign you in. Approvals that you confirmed with it stay valid. Delete it on the device, too.`;

export const deviceKeys = 'Device keys';
export const deviceKeysLead =
  'A device key proves at a terminal that it’s you who decides. It is a file that a passphrase protects.';
export const noDeviceKeys = (command: ReactNode) =>
  say`No device keys yet. ${command} creates one on your machine and shows a code that you confirm in the dashboard.`;
export const fingerprint = 'Fingerprint';
export const theFingerprintOf = (name: string) => `the fingerprint of ${name}`;
export const renameDeviceKey = 'Rename device key';
export const deviceKeyRenamed = 'Device key renamed.';
export const removeDeviceKey = {
  title: 'Remove this device key?',
  confirm: 'Remove device key',
  done: 'Device key removed.',
} as const;
export const removeDeviceKeyConsequence = (name: ReactNode, command: ReactNode) =>
  say`${name} can no longer prove that it’s you. Approvals that you confirmed with it stay valid. Delete its file, too, with ${command}.`;

export const keyFile = 'Key file';
export const keyFileLead = (command: ReactNode) =>
  say`It contains the public keys of your passkeys and device keys. With it, anyone can verify the approvals that you confirmed with these keys, offline and without trusting this gate: ${command}`;
export const downloadKeyFile = 'Download key file';

export const password = 'Password';
export const passwordSet = 'You can sign in with a password.';
export const noPassword = 'No password set. You sign in with a passkey or with your provider.';
export const changePassword = 'Change password';
export const setAPassword = 'Set a password';
export const setPassword = 'Set password';
export const changePasswordConsequence = 'This ends all your other sessions, on every device.';
export const currentPassword = 'Current password';
export const currentPasswordMissing = 'Enter your current password.';
export const passwordWrong = 'Wrong password.';
export const passwordMissing = 'Choose a password.';
export const passwordChanged = 'Password changed. Your other sessions have ended.';

export const app = 'Authenticator app';
export const appLead =
  'A second factor for signing in with your password or provider: a six-digit code that changes every 30 seconds.';
export const noApp = 'Not set up. Signing in with a passkey doesn’t need it.';
export const appOn = 'On';
export const appSince = (at: ReactNode) => say`since ${at}`;
export const setUpApp = 'Set up app';
export const removeApp = {
  button: 'Remove app',
  title: 'Remove the authenticator app?',
  lead: 'Your password or your provider then signs you in without a second factor. Your recovery codes are deleted, too.',
  done: 'Authenticator app removed.',
} as const;

export const enrolApp = 'Set up an authenticator app';
export const scan = (link: ReactNode) => say`Scan this QR code with the app. On this phone, ${link}.`;
export const openInApp = 'open it in the app';
export const qrCode = 'QR code for your authenticator app';
export const cannotScan = 'Can’t scan it?';
export const enterKey = 'Enter this key in the app, as a time-based key.';
export const theKey = 'the key';
export const digits = 'Enter the six digits that the app shows';
export const digitsMissing = 'Enter the six digits that the app shows.';
export const digitsWrong = 'Wrong code. Check the clock of your phone, then enter the next code.';
export const turnOn = 'Turn on';

export const noCodesLeft = 'No recovery codes left';
export const fewCodesLeft = 'Few recovery codes left';
export const codesNeeded = 'Without them, a lost phone locks you out. Create new ones.';
export const codesLeft = (count: number) => `${count} of 10 recovery codes left`;
export const newCodes = {
  button: 'Create new codes',
  title: 'Create new recovery codes?',
  lead: 'Your current codes stop working.',
} as const;

export const codes = 'Your recovery codes';
export const codesLead =
  'These codes are shown only once. Use one to sign in if you can’t access your phone. Each works once. Keep them apart from your password.';
export const codesToPrint = (email: string, host: string) =>
  `Recovery codes of ${email} at ${host}. Each works once.`;
export const codesToSave = (email: string, host: string, list: readonly string[]) =>
  `Recovery codes of ${email} at ${host}\nEach works once, instead of the authenticator app.\n\n${list.join('\n')}\n`;
export const theCodes = 'the recovery codes';
export const copyCodes = 'Copy codes';
export const downloadCodes = 'Download codes';
export const printCodes = 'Print codes';
export const codesSaved = 'I’ve saved these codes';
export const saveCodesFirst = 'Save the codes first. They can’t be shown again.';
export const done = 'Done';

export const identities = 'Connected identities';
export const identitiesLead = 'Accounts at identity providers that sign you in here.';
export const disconnect = 'Disconnect';
export const disconnectIdentity = {
  title: 'Disconnect this identity?',
  confirm: 'Disconnect identity',
  done: 'Identity disconnected.',
} as const;
export const disconnectConsequence = (provider: ReactNode) =>
  say`${provider} is disconnected from your account. Signing in with it connects it again.`;

/** Why another page sent the person here. */
export const forRequest = {
  title: 'A request needs your passkey',
  text: 'Add a passkey on this device. Then you return to the request.',
  back: 'Return without a passkey',
} as const;
export const forProgram = {
  title: 'A program needs your confirmation',
  text: 'Set a password below. Then you return to the program. Once you have a password, you can also add a passkey.',
  back: 'Return without a password',
} as const;
