import { useState } from 'react';
import { fieldsOf } from '../../../../api/use-form.ts';
import { FormDialog } from '../../../../ui/form-dialog.tsx';
import { Select } from '../../../../ui/select.tsx';
import { TextArea, TextField } from '../../../../ui/text-field.tsx';
import { explainRule } from '../document/explain-rule.ts';
import type { PolicyDocument, PolicyRule } from '../document/policy-document.ts';
import { RequirementFields } from './requirement-fields.tsx';
import { type RuleForm, toForm, toRule } from './rule-form.ts';
import { Sentence } from './sentence.tsx';
import { TermFields } from './term-fields.tsx';

const EFFECTS = [
  { value: 'require_approval', label: 'Ask people' },
  { value: 'allow', label: 'Allow at once' },
  { value: 'deny', label: 'Deny' },
];
/** A form for a rule that shows it as a sentence during editing. It changes only the draft, never the active policy. */
export function RuleDialog({
  rule,
  taken,
  fallback,
  onDone,
  onClose,
}: {
  rule: PolicyRule;
  /** Names of the other rules. */
  taken: readonly string[];
  fallback: PolicyDocument['default'];
  onDone: (rule: PolicyRule) => void;
  onClose: () => void;
}) {
  const [form, setForm] = useState(() => toForm(rule));
  const [isTried, setTried] = useState(false);
  const made = toRule(form);
  const problem = nameProblem(made.name, taken);
  const nobody = made.match === undefined && made.when === undefined;
  const change = (changes: Partial<RuleForm>) => setForm({ ...form, ...changes });
  const field = fieldsOf(form, change, (name) => (isTried && name === 'name' ? problem : undefined));
  const finish = () => {
    setTried(true);
    if (!problem && !nobody) onDone(made);
  };
  return (
    <FormDialog
      width="wide"
      title={rule.name === '' ? 'A new rule' : `The rule ${rule.name}`}
      submitLabel="Put it in the draft"
      form={{ submit: finish }}
      onClose={onClose}
    >
      <div className="policy-form">
        <div className="policy-form-read" aria-live="polite">
          <Sentence parts={explainRule(made, fallback)} />
        </div>
        <TextField
          label="Name"
          hint="Approvals by policy are told by it, e.g. policy:small refunds."
          maxLength={100}
          {...field('name')}
        />
        <Select label="What it does" options={EFFECTS} {...field('effect')} />
        <TextField
          label="Actions"
          hint="Names, or a beginning and *; several joined by |. For instance payments.* | deploy.production"
          className="code"
          {...field('action')}
          error={
            isTried && nobody ? 'A rule needs actions or a condition; * stands for every action.' : undefined
          }
        />
        <TextArea
          label="Condition"
          optional
          hint="CEL over action, params, source, source_type, risk_tier, proof_tier, agent, metadata, now. For instance params.amount > 5000.0"
          className="code"
          rows={2}
          {...field('when')}
        />
        {form.effect === 'require_approval' && (
          <RequirementFields entries={form.require} onChange={(require) => change({ require })} />
        )}
        <TextField
          label="Reason"
          optional
          hint="Told to whoever asked."
          maxLength={500}
          {...field('reason')}
        />
        <details className="policy-form-more" open={hasTerms(form)}>
          <summary>Terms, and who asks</summary>
          <TermFields form={form} onChange={change} />
        </details>
      </div>
    </FormDialog>
  );
}

function nameProblem(name: string, taken: readonly string[]): string | undefined {
  if (name === '') return 'A rule needs a name.';
  return taken.includes(name) ? 'Another rule has this name.' : undefined;
}

function hasTerms(form: RuleForm): boolean {
  const { riskTier, proofTier, expiresIn, permitTtl, source, sourceType, matchRisk } = form;
  return [riskTier, proofTier, expiresIn, permitTtl, source, sourceType, matchRisk].some(
    (text) => text !== '',
  );
}
