import { Button, IconButton } from '../../../../ui/button.tsx';
import { TextField } from '../../../../ui/text-field.tsx';
import * as words from './editor.words.ts';
import { EntryTerms } from './entry-terms.tsx';
import type { RuleForm } from './rule-form.ts';

/** The required approvers: how many from which group or role. */
export function RequirementFields({
  entries,
  onChange,
}: {
  entries: RuleForm['require'];
  onChange: (entries: RuleForm['require']) => void;
}) {
  const set = (index: number, changes: Partial<RuleForm['require'][number]>) =>
    onChange(entries.map((entry, at) => (at === index ? { ...entry, ...changes } : entry)));
  return (
    <fieldset className="policy-form-people">
      <legend>{words.approvals.legend}</legend>
      {entries.length === 0 && <p className="soft small">{words.approvals.none}</p>}
      {entries.map((entry, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: entries have no names and keep their order
        <div key={index} className="policy-form-entry">
          <TextField
            label={words.approvals.count}
            inputMode="numeric"
            value={entry.count}
            onChange={(event) => set(index, { count: event.target.value.replaceAll(/\D/g, '').slice(0, 2) })}
          />
          <TextField
            label={words.approvals.from}
            hint={index === 0 ? words.approvals.fromHint : undefined}
            value={entry.from}
            onChange={(event) => set(index, { from: event.target.value })}
          />
          <EntryTerms entry={entry} onChange={(changes) => set(index, changes)} />
          <IconButton
            icon="trash"
            label={words.approvals.remove(index + 1)}
            onClick={() => onChange(entries.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      <Button
        size="s"
        icon="plus"
        onClick={() => onChange([...entries, { from: '', count: '1', programs: false, orNamed: '' }])}
      >
        {entries.length === 0 ? words.approvals.add : words.approvals.addMore}
      </Button>
    </fieldset>
  );
}
