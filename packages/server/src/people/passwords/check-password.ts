import { invalidFields } from '../../gate/kernel/invalid-fields.ts';
import { COMMON_WORDS } from './common-passwords.ts';

/** Counted in code points of the normalised text. */
const LEAST = 12;
const MOST = 200;

/**
 * Returns the password in NFKC. The rules follow NIST SP 800-63B: long enough, not very common, and not the person's
 * own address. There is no rule about kinds of characters.
 * @param email The address of the person.
 * @throws GateError `invalid_fields` with `/password`
 */
export function checkPassword(password: string, email: string): string {
  const normalised = normalisePassword(password);
  const length = [...normalised].length;
  const problem =
    length < LEAST
      ? `Must have at least ${LEAST} characters. A few unrelated words are easy to remember.`
      : length > MOST
        ? `Must have at most ${MOST} characters.`
        : isGuessedFirst(normalised.toLowerCase(), email)
          ? 'This is one of the first passwords that an attacker would try. Choose another.'
          : undefined;
  if (problem !== undefined) throw invalidFields({ path: '/password', message: problem });
  return normalised;
}

/** A password is the same text on every system, however it was typed. */
export function normalisePassword(password: string): string {
  return password.normalize('NFKC');
}

function isGuessedFirst(password: string, email: string): boolean {
  const address = email.toLowerCase();
  const [name = '', domain = ''] = address.split('@');
  if (password === address || repeats(password)) return true;
  const core = password.replace(/^[\d\W_]+|[\d\W_]+$/gu, '');
  const words = new Set([...COMMON_WORDS, address, name, domain, domain.split('.')[0] ?? '']);
  words.delete('');
  return core === '' ? isRun(password) : words.has(core) || words.has(password);
}

/** A short piece repeated, e.g. one character, or `abcabcabcabc`. */
function repeats(password: string): boolean {
  return /^(.{1,8}?)\1+$/su.test(password);
}

/** Digits that go up or down, e.g. `123456789012`, `987654321098`. */
function isRun(password: string): boolean {
  const digits = password.replace(/\D/g, '');
  const up = '01234567890123456789'.repeat(10);
  const down = '98765432109876543210'.repeat(10);
  return digits.length >= LEAST - 4 && (up.includes(digits) || down.includes(digits));
}
