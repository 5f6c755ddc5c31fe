import { Checkbox } from '../../../ui/checkbox.tsx';

/** The choices in the form. The API accepts any event type. */
const GROUPS: readonly { label: string; types: readonly string[] }[] = [
  { label: 'Requests and decisions', types: ['intent.*', 'approval.*', 'extension.*'] },
  { label: 'Permits and what came of them', types: ['permit.*', 'outcome.*'] },
  { label: 'Agents', types: ['agent.*'] },
  { label: 'Policy', types: ['policy.*', 'shadow.*'] },
  { label: 'Keys', types: ['key.*', 'signing_key.*'] },
  { label: 'Members, groups and invitations', types: ['member.*', 'group.*', 'invitation.*'] },
  { label: 'The project and its webhooks', types: ['project.*', 'webhook.*', 'chat_hook.*'] },
  { label: 'Refused access', types: ['access.*'] },
];

/** In words, for lists. */
export function sayTypes(types: readonly string[] | null): string {
  if (types === null) return 'everything';
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
      <legend className="field-label">What is sent</legend>
      <Checkbox
        kind="radio"
        name="types"
        label="Everything that happens"
        checked={types === null}
        onChange={() => onChange(null)}
      />
      <Checkbox
        kind="radio"
        name="types"
        label="Only some of it"
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
