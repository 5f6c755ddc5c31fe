import { EVENT_TYPES, type EventType } from '@permitry/protocol';
import Type from 'typebox';
import { invalidFields } from '../../gate/kernel/invalid-fields.ts';
import { wantsType } from '../../gate/webhooks/wanted-types.ts';

const EVENT_TYPES_LIST = Type.String({
  maxLength: 1000,
  description: `One or more of these types, or groups such as intent.*: ${EVENT_TYPES.join(', ')}.`,
});

/** `?type=a,b.*&type=c`. */
export const EventTypesFilter = Type.Union([
  EVENT_TYPES_LIST,
  Type.Array(EVENT_TYPES_LIST, { maxItems: 40 }),
]);

/**
 * Checked here and not by a pattern in the schema: a refusal would then repeat the whole list as a regular expression.
 */
export function toEventTypes(given: string | readonly string[]): EventType[] {
  const asked = [...new Set([given].flat().flatMap((list) => list.split(',')))];
  const unknown = asked.find((entry) => !EVENT_TYPES.some((type) => wantsType([entry], type)));
  if (unknown !== undefined) {
    const said = JSON.stringify(unknown.slice(0, 64));
    throw invalidFields({
      path: '/type',
      message: `${said} is neither an event type nor a group such as intent.*.`,
    });
  }
  return EVENT_TYPES.filter((type) => wantsType(asked, type));
}
