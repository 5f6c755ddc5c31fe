import { foldEmailAddress } from '@permitry/protocol';

const MAX_LENGTH = 254;
const LOCAL_PART = String.raw`[^\s\p{C}\p{Z}@<>"(),:;\\[\]]{1,64}`;
const DOMAIN_LABEL = String.raw`[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]{0,61}[\p{L}\p{N}\p{M}])?`;
const EMAIL = new RegExp(String.raw`^${LOCAL_PART}@${DOMAIN_LABEL}(?:\.${DOMAIN_LABEL})*$`, 'u');

/**
 * The spelling of an address by which the gate knows a person: trimmed, in NFC, ASCII letters in lower case. Undefined
 * when the text is not an address. Also undefined when a character has ASCII in its compatibility form (NFKC), like the
 * Kelvin sign: another system would read another address. Quoted local parts and address literals (RFC 5321) are
 * refused.
 *
 * @example toEmailAddress(' Ann@Example.org ') === 'ann@example.org'
 */
export function toEmailAddress(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed.length > 2 * MAX_LENGTH || [...trimmed].some(passesForAscii)) return undefined;
  const email = foldEmailAddress(trimmed.normalize('NFC'));
  return email.length <= MAX_LENGTH && EMAIL.test(email) ? email : undefined;
}

function passesForAscii(character: string): boolean {
  return character > '\x7f' && /\p{ASCII}/u.test(character.normalize('NFKC'));
}

export const EMAIL_RULE =
  'Must be an email address of at most 254 characters, without look-alikes of ASCII characters.';
