import { Checkbox } from '../../../../ui/checkbox.tsx';
import { TextField } from '../../../../ui/text-field.tsx';
import type { EntryForm } from './rule-form.ts';

type Terms = Pick<EntryForm, 'programs' | 'orNamed'>;

/** Settings besides the people that entries of `require` and of `default` share. */
export function EntryTerms({
  entry,
  onChange,
}: {
  entry: Terms;
  onChange: (changes: Partial<Terms>) => void;
}) {
  return (
    <>
      <TextField
        label="Or, if the request names them, members of"
        hint="Groups"
        value={entry.orNamed}
        onChange={(event) => onChange({ orNamed: event.target.value })}
      />
      <Checkbox
        label="Programs may approve"
        hint="In live mode: secret keys and access tokens."
        checked={entry.programs}
        onChange={(event) => onChange({ programs: event.target.checked })}
      />
    </>
  );
}
