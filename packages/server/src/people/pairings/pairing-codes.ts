import { randomInt } from 'node:crypto';
import { makeSecretToken } from '../links/secret-token.ts';

/** Consonants that are hard to confuse and form no words (RFC 8628 §6.1): 20^8 codes, 34 bits. */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;

/** The code the program polls with, and the code the person types. */
export function makePairingCodes(): { deviceCode: string; deviceCodeHash: string; userCode: string } {
  const { token, tokenHash } = makeSecretToken();
  const userCode = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return { deviceCode: token, deviceCodeHash: tokenHash, userCode };
}

/** As shown: `WDJB-MJHT`. */
export function showUserCode(userCode: string): string {
  return `${userCode.slice(0, LENGTH / 2)}-${userCode.slice(LENGTH / 2)}`;
}

/** The typed code in the form that is compared. Text that is not a code matches none. */
export function readUserCode(typed: string): string {
  return typed.toUpperCase().replaceAll(/[^A-Z]/g, '');
}
