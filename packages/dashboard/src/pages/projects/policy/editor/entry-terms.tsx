import { Checkbox } from '../../../../ui/checkbox.tsx';
import { TextField } from '../../../../ui/text-field.tsx';
import * as words from './editor.words.ts';
import type { EntryForm } from './rule-form.ts';

type Terms = Pick<EntryForm, 'programs' | 'orNamed'>;

/** The settings that entries of `require` and of `default` share, except the people. */
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
        label={words.approvals.orNamed}
        hint={words.approvals.orNamedHint}
        value={entry.orNamed}
        onChange={(event) => onChange({ orNamed: event.target.value })}
      />
      <Checkbox
        label={words.approvals.programs}
        hint={words.approvals.programsHint}
        checked={entry.programs}
        onChange={(event) => onChange({ programs: event.target.checked })}
      />
    </>
  );
}
