const MAX_LENGTH = 254;
const LOCAL_PART = String.raw`[^\s\p{C}\p{Z}@<>"(),:;\\[\]]{1,64}`;
const DOMAIN_LABEL = String.raw`[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]{0,61}[\p{L}\p{N}\p{M}])?`;
const EMAIL = new RegExp(String.raw`^${LOCAL_PART}@${DOMAIN_LABEL}(?:\.${DOMAIN_LABEL})*$`, 'u');

/**
 * An address as people are known by here: trimmed, in NFC and lower case. Undefined when the text is not one. Quoted
 * local parts and address literals (RFC 5321) are not taken; nobody signs in with them.
 *
 * @example toEmailAddress(' Ann@Example.org ') === 'ann@example.org'
 */
export function toEmailAddress(text: string): string | undefined {
  const email = text.trim().toLowerCase().normalize('NFC');
  return email.length <= MAX_LENGTH && EMAIL.test(email) ? email : undefined;
}

export const EMAIL_RULE = 'Must be an e-mail address of at most 254 characters.';
