/**
 * What remains of an audit event after erasure. The event's hash covers only digests, so the chain verifies as before.
 * Pure.
 */
import type { JsonObject, JsonValue } from '@permitry/protocol';
import { committedText, pointerSteps } from '@permitry/protocol';
import type { AuditEvent } from '../audit/audit-event.ts';
import type { EventTexts } from './erasure.ts';
import { namesPerson, type Person } from './person.ts';

const DISPLAY = '/actor/display';

/**
 * The event without the texts to erase. The salts of these texts are erased too, because a salt would let a reader
 * guess its text. Undefined when there is nothing to erase.
 */
function without(
  event: AuditEvent,
  goes: (pointer: string, text: string) => boolean,
): EventTexts | undefined {
  const going = Object.keys(event.commitments).filter((pointer) => {
    const text = committedText(event, pointer);
    return typeof text === 'string' && goes(pointer, text);
  });
  if (going.length === 0) return undefined;
  const commitments = Object.entries(event.commitments).map(([pointer, commitment]) => [
    pointer,
    going.includes(pointer) ? { ...commitment, salt: null } : commitment,
  ]);
  return {
    display: going.includes(DISPLAY) ? null : event.actor.display,
    data: going.filter((pointer) => pointer !== DISPLAY).reduce(blankOut, event.data),
    commitments: Object.fromEntries(commitments),
  };
}

/** Erases every text that may contain personal data. */
export function eventWithoutTexts(event: AuditEvent): EventTexts | undefined {
  return without(event, () => true);
}

/** Erases texts that name the person, texts that the person wrote, and display names of the person. */
export function eventWithoutPerson(event: AuditEvent, person: Person): EventTexts | undefined {
  const isTheirs =
    event.actor.id === person.userId ||
    (event.actor.display !== null && namesPerson(event.actor.display, person));
  const isTheirKey = person.userId !== null && event.data.owner_id === person.userId;
  return without(
    event,
    (pointer, text) =>
      (isTheirs && THEIRS.test(pointer)) ||
      (isTheirKey && pointer === '/data/name') ||
      namesPerson(text, person),
  );
}

/** The texts in an event that come from its actor: their own words and displayed name. */
const THEIRS = /^\/(actor\/display|data\/(reason|comment|detail))$/;

/** The data of an event with null at the pointer (RFC 6901), which begins with `/data/`. */
function blankOut(data: JsonObject, pointer: string): JsonObject {
  const [, ...steps] = pointerSteps(pointer);
  return blankAt(data, steps) as JsonObject;
}

function blankAt(value: JsonValue, [step, ...rest]: readonly string[]): JsonValue {
  if (step === undefined) return null;
  if (Array.isArray(value))
    return value.map((item, at) => (String(at) === step ? blankAt(item, rest) : item));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, property]) => [
      name,
      name === step ? blankAt(property, rest) : property,
    ]),
  );
}
