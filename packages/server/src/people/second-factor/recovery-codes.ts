import { randomBytes } from 'node:crypto';
import { sha256Hex } from '@permitry/protocol';

const COUNT = 10;
/** 80 random bits: nobody can find a code from its hash. */
const BYTES = 10;
const GROUP = 4;
/** Crockford's base32 in lower case, without i, l, o and u, so that a code on paper is not misread. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Ten codes to keep on paper, e.g. `7x2k-9q4m-d0ht-v6ra`. Each works once in place of the app. */
export function makeRecoveryCodes(): { codes: string[]; hashes: string[] } {
  const codes = Array.from({ length: COUNT }, makeCode);
  return { codes, hashes: codes.map(hashRecoveryCode) };
}

/**
 * The hash is the same however the code was typed. Hyphens, spaces and capitals do not count, and letters that look
 * like digits count as the digits.
 */
export function hashRecoveryCode(typed: string): string {
  const code = typed
    .toLowerCase()
    .replace(/[^0-9a-z]/g, '')
    .replace(/o/g, '0')
    .replace(/[il]/g, '1');
  return sha256Hex(`permitry recovery code ${code}`);
}

function makeCode(): string {
  let bits = BigInt(`0x${randomBytes(BYTES).toString('hex')}`);
  let code = '';
  for (let n = 0; n < (BYTES * 8) / 5; n += 1) {
    code += ALPHABET[Number(bits & 31n)] ?? '';
    bits >>= 5n;
  }
  return code.replace(new RegExp(`.{${GROUP}}(?=.)`, 'g'), '$&-');
}
