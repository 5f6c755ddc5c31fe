import { useState } from 'react';
import { fieldsOf } from '../../../../api/use-form.ts';
import { FormDialog } from '../../../../ui/form-dialog.tsx';
import { Select } from '../../../../ui/select.tsx';
import { TextArea, TextField } from '../../../../ui/text-field.tsx';
import { explainRule } from '../document/explain-rule.ts';
import type { Effect, PolicyDocument, PolicyRule } from '../document/policy-document.ts';
import * as policyWords from '../policy.words.ts';
import * as words from './editor.words.ts';
import { RequirementFields } from './requirement-fields.tsx';
import { type RuleForm, toForm, toRule } from './rule-form.ts';
import { Sentence } from './sentence.tsx';
import { TermFields } from './term-fields.tsx';

const EFFECTS = (['require_approval', 'allow', 'deny'] satisfies Effect[]).map((value) => ({
  value,
  label: policyWords.effects[value],
}));

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
  const matchesNothing = made.match === undefined && made.when === undefined;
  const change = (changes: Partial<RuleForm>) => setForm({ ...form, ...changes });
  const field = fieldsOf(form, change, (name) => (isTried && name === 'name' ? problem : undefined));
  const finish = () => {
    setTried(true);
    if (!problem && !matchesNothing) onDone(made);
  };
  return (
    <FormDialog
      width="wide"
      title={rule.name === '' ? words.newRule : words.editRule(rule.name)}
      submitLabel={words.saveToDraft}
      form={{ submit: finish }}
      onClose={onClose}
    >
      <div className="policy-form">
        <div className="policy-form-read" aria-live="polite">
          <Sentence parts={explainRule(made, fallback)} />
        </div>
        <TextField label={words.name.label} hint={words.name.hint} maxLength={100} {...field('name')} />
        <Select label={words.effect} options={EFFECTS} {...field('effect')} />
        <TextField
          label={words.actions.label}
          hint={words.actions.hint}
          className="code"
          {...field('action')}
          error={isTried && matchesNothing ? words.actions.missing : undefined}
        />
        <TextArea
          label={words.condition.label}
          optional
          hint={words.condition.hint}
          className="code"
          rows={2}
          {...field('when')}
        />
        {form.effect === 'require_approval' && (
          <RequirementFields entries={form.require} onChange={(require) => change({ require })} />
        )}
        <TextField
          label={words.reason.label}
          optional
          hint={words.reason.hint}
          maxLength={500}
          {...field('reason')}
        />
        <details className="policy-form-more" open={hasTerms(form)}>
          <summary>{words.limits.title}</summary>
          <TermFields form={form} onChange={change} />
        </details>
      </div>
    </FormDialog>
  );
}

function nameProblem(name: string, taken: readonly string[]): string | undefined {
  if (name === '') return words.name.missing;
  return taken.includes(name) ? words.name.taken : undefined;
}

function hasTerms(form: RuleForm): boolean {
  const { riskTier, proofTier, expiresIn, permitTtl, source, sourceType, matchRisk } = form;
  return [riskTier, proofTier, expiresIn, permitTtl, source, sourceType, matchRisk].some(
    (text) => text !== '',
  );
}
