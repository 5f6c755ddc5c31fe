import { Checkbox } from '../../../ui/checkbox.tsx';
import * as words from './webhooks.words.ts';

/** The choices in the form. The API accepts any event type. */
const GROUPS: readonly { label: string; types: readonly string[] }[] = [
  { label: words.groups.requests, types: ['intent.*', 'approval.*', 'extension.*'] },
  { label: words.groups.permits, types: ['permit.*', 'outcome.*'] },
  { label: words.groups.agents, types: ['agent.*'] },
  { label: words.groups.policy, types: ['policy.*', 'shadow.*'] },
  { label: words.groups.keys, types: ['key.*', 'signing_key.*'] },
  { label: words.groups.members, types: ['member.*', 'group.*', 'invitation.*'] },
  { label: words.groups.project, types: ['project.*', 'webhook.*', 'chat_hook.*'] },
  { label: words.groups.access, types: ['access.*'] },
];

/** The event types in words, for lists. */
export function sayTypes(types: readonly string[] | null): string {
  if (types === null) return words.allEvents;
  const known = GROUPS.filter((group) => group.types.every((type) => types.includes(type)));
  const others = types.filter((type) => !known.some((group) => group.types.includes(type)));
  return [...known.map(({ label }) => label), ...others].join(', ');
}

/** Selects the event types to send. Types set through the API stay. */
export function TypesField({
  types,
  error,
  onChange,
}: {
  types: readonly string[] | null;
  error: string | undefined;
  onChange: (types: readonly string[] | null) => void;
}) {
  const chosen = types ?? [];
  return (
    <fieldset className="stack tight">
      <legend className="field-label">{words.properties.events}</legend>
      <Checkbox
        kind="radio"
        name="types"
        label={words.allEvents}
        checked={types === null}
        onChange={() => onChange(null)}
      />
      <Checkbox
        kind="radio"
        name="types"
        label={words.selectedEvents}
        checked={types !== null}
        error={error}
        onChange={() => onChange(types ?? GROUPS[0]?.types ?? [])}
      />
      {types !== null &&
        GROUPS.map((group) => (
          <Checkbox
            key={group.label}
            label={group.label}
            checked={group.types.every((type) => chosen.includes(type))}
            onChange={({ target }) =>
              onChange([
                ...chosen.filter((type) => !group.types.includes(type)),
                ...(target.checked ? group.types : []),
              ])
            }
          />
        ))}
    </fieldset>
  );
}
