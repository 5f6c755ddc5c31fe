import { randomInt } from 'node:crypto';
import { makeSecretToken } from '../links/secret-token.ts';

/** Consonants that are hard to mistake and spell no words (RFC 8628 §6.1): 20^8, 34 bits. */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;

/** What the program asks with, and what the person types. */
export function makePairingCodes(): { deviceCode: string; deviceCodeHash: string; userCode: string } {
  const { token, tokenHash } = makeSecretToken();
  const userCode = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return { deviceCode: token, deviceCodeHash: tokenHash, userCode };
}

/** As it is shown: `WDJB-MJHT`. */
export function showUserCode(userCode: string): string {
  return `${userCode.slice(0, LENGTH / 2)}-${userCode.slice(LENGTH / 2)}`;
}

/** As it is compared: however it was typed. What is no code stays none. */
export function readUserCode(typed: string): string {
  return typed.toUpperCase().replaceAll(/[^A-Z]/g, '');
}
