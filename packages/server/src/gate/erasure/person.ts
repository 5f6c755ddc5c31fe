/** The person whose texts are erased, and where texts name the person. Pure. */
import { foldEmailAddress, type JsonValue } from '@permitry/protocol';

export interface Person {
  /** In lower case, as the gate stores addresses. */
  email: string;
  /** Null for a person who never was a user of the gate. */
  userId: string | null;
}

/** The text that replaces the person's address. */
export function pseudonymOf({ userId }: Person): string {
  return userId ?? 'erased';
}

/** Whether the text contains the address as a whole, not as part of another one. */
export function namesPerson(text: string, { email }: Person): boolean {
  const lower = foldEmailAddress(text.normalize('NFC'));
  for (let at = lower.indexOf(email); at >= 0; at = lower.indexOf(email, at + 1)) {
    const before = lower.slice(0, at);
    const after = lower.slice(at + email.length);
    if (!PART_OF_ADDRESS_BEFORE.test(before) && !PART_OF_ADDRESS_AFTER.test(after)) return true;
  }
  return false;
}

/** Whether any text in the value names the person, including names of members. */
export function namesPersonIn(value: JsonValue, person: Person): boolean {
  if (typeof value === 'string') return namesPerson(value, person);
  if (value === null || typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.some((item) => namesPersonIn(item, person));
  return Object.entries(value).some(
    ([name, property]) => namesPerson(name, person) || namesPersonIn(property, person),
  );
}

const PART_OF_ADDRESS_BEFORE = /[\p{L}\p{N}._%+-]$/u;
/** Matches when the address continues as a longer one. A full stop alone may end a sentence. */
const PART_OF_ADDRESS_AFTER = /^(?:[\p{L}\p{N}_-]|\.[\p{L}\p{N}])/u;
