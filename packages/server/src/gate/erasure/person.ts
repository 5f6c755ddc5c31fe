/** Whose texts are to go, and where they are named. Pure. */
import { foldEmailAddress, type JsonValue } from '@permitry/protocol';

export interface Person {
  /** As people are known by here: lower case. */
  email: string;
  /** Null for somebody who was never a user of the gate. */
  userId: string | null;
}

/** What stands where the person's address stood. */
export function pseudonymOf({ userId }: Person): string {
  return userId ?? 'erased';
}

/** Whether the text holds the address: whole, not as the end or the beginning of another one. */
export function namesPerson(text: string, { email }: Person): boolean {
  const lower = foldEmailAddress(text.normalize('NFC'));
  for (let at = lower.indexOf(email); at >= 0; at = lower.indexOf(email, at + 1)) {
    const before = lower.slice(0, at);
    const after = lower.slice(at + email.length);
    if (!PART_OF_ADDRESS_BEFORE.test(before) && !PART_OF_ADDRESS_AFTER.test(after)) return true;
  }
  return false;
}

/** Whether any text in it does, names of members among them. */
export function namesPersonIn(value: JsonValue, person: Person): boolean {
  if (typeof value === 'string') return namesPerson(value, person);
  if (value === null || typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.some((item) => namesPersonIn(item, person));
  return Object.entries(value).some(
    ([name, property]) => namesPerson(name, person) || namesPersonIn(property, person),
  );
}

const PART_OF_ADDRESS_BEFORE = /[\p{L}\p{N}._%+-]$/u;
/** A full stop ends a sentence, or goes on as a domain. */
const PART_OF_ADDRESS_AFTER = /^(?:[\p{L}\p{N}_-]|\.[\p{L}\p{N}])/u;
