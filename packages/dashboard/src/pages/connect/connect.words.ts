/** Texts of the page that connects a program, or adds a device key, to a person's account. */
import type { ReactNode } from 'react';
import { say } from '../../ui/say.ts';

export const title = 'Connect a program';

export const code = 'Code';
export const codeMissing = 'Enter the code that your terminal shows.';
export const codeUnknown = 'Code not found. It may be mistyped, already used, or older than 10 minutes.';
export const enterCode = 'Your terminal shows a code of eight letters. Enter it here.';
export const compareCode = 'Compare this code with the one in your terminal. Continue only if they match.';
export const submitCode = 'Continue';
export const codesMatch = 'The codes match';
export const otherCode = 'Use another code';
export const codeExpiresIn = (countdown: ReactNode) => say`Code expires in ${countdown}`;

export const warning = 'Did you start this yourself, just now?';
export const warningOfProgram =
  'Anyone who sent you a code or a link to this page could act as you. Deny anything that you did not start at your own terminal.';
export const warningOfKey =
  'Anyone who sent you a code or a link to this page could prove that they are you. Deny anything that you did not start at your own terminal.';

export const questionOfProgram = 'Connect this program to your account?';
export const questionOfKey = 'Add this device key to your account?';
export const connect = 'Connect program';
export const addKey = 'Add device key';
export const deny = 'Deny';

export const selfReportedName = 'Self-reported name';
export const requested = 'Requested';
export const from = (time: ReactNode, address: ReactNode) => say`${time} from ${address}`;
export const sameNetwork =
  'You have the same address now, and so does everyone behind the same router or proxy.';
export const otherNetwork =
  'You have a different address now. That is expected if the terminal is on another machine or network.';
export const account = 'Account';
export const rights = 'It can';
export const readsAndDecides = 'read everything that you can see, and approve and deny as you';
export const inAllProjects = (rights: ReactNode) =>
  say`${rights}, in all your projects. On its own, it can’t approve requests that require a passkey or a device key.`;
export const reads =
  'read everything that you can see, in all your projects. It can’t decide or change anything.';
export const provesYou = 'prove that it’s you who decides';
export const whereRequired = (right: ReactNode) =>
  say`${right}, for requests that require a device key, with its passphrase each time. By itself, it gives no access.`;
export const valid = 'Valid';
export const untilRemoved = 'until you remove it';
export const validFor = (lifetime: string) => `for ${lifetime}, or until you revoke it`;
export const fingerprint = 'Fingerprint';
export const theFingerprint = 'the fingerprint';
export const compareFingerprint = 'Your terminal must show the same fingerprint.';

export const proofNeeded = {
  title: 'Set up a password or a passkey first',
  forProgram:
    'To connect a program that can approve and deny, you have to confirm it’s you. Signing in with your provider does not count as confirmation. Set a password, and you return to this page.',
  forKey:
    'To add a device key, you have to confirm it’s you. Signing in with your provider does not count as confirmation. Set a password, and you return to this page.',
  setPassword: 'Set a password',
} as const;

export const connected = 'Program connected';
export const connectedLead =
  'Return to your terminal. The access token of the program is listed under Account → Tokens, where you can revoke it.';
export const keyAdded = 'Device key added';
export const keyAddedLead =
  'Return to your terminal. The key is listed under Account → Security, where you can remove it.';
export const denied = 'Denied';
export const deniedLead =
  'The program gets no access and is told that you denied it. If you did not start it yourself, tell the other people in your projects that somebody tried.';
