import { useState } from 'react';
import { FormDialog } from '../../../../ui/form-dialog.tsx';
import { TextField } from '../../../../ui/text-field.tsx';
import { explainDefault } from '../document/explain-rule.ts';
import type { PolicyDocument } from '../document/policy-document.ts';
import * as words from './editor.words.ts';
import { EntryTerms } from './entry-terms.tsx';
import { namesIn, termsOf } from './rule-form.ts';
import { Sentence } from './sentence.tsx';

/** Edits the default: who decides when no rule matches. */
export function DefaultDialog({
  fallback,
  onDone,
  onClose,
}: {
  fallback: PolicyDocument['default'];
  onDone: (fallback: PolicyDocument['default']) => void;
  onClose: () => void;
}) {
  const [from, setFrom] = useState(fallback.approvers.join(', '));
  const [count, setCount] = useState(String(fallback.min_approvals ?? 1));
  const [terms, setTerms] = useState({
    programs: fallback.programs ?? false,
    orNamed: (fallback.or_named ?? []).join(', '),
  });
  const made = { approvers: namesIn(from), min_approvals: Number(count) || 1, ...termsOf(terms) };
  return (
    <FormDialog
      title={words.editDefault}
      submitLabel={words.saveToDraft}
      form={{ submit: () => made.approvers.length > 0 && onDone(made) }}
      onClose={onClose}
    >
      <div className="policy-form">
        <div className="policy-form-read" aria-live="polite">
          <Sentence parts={explainDefault(made)} />
        </div>
        <TextField
          label={words.approvals.count}
          inputMode="numeric"
          value={count}
          onChange={(event) => setCount(event.target.value.replaceAll(/\D/g, '').slice(0, 2))}
        />
        <TextField
          label={words.approvals.from}
          hint={words.approvals.fromHint}
          value={from}
          error={made.approvers.length === 0 ? words.approvals.fromMissing : undefined}
          onChange={(event) => setFrom(event.target.value)}
        />
        <EntryTerms entry={terms} onChange={(changes) => setTerms({ ...terms, ...changes })} />
      </div>
    </FormDialog>
  );
}
