import { fieldsOf } from '../../../../api/use-form.ts';
import { RISK_TIERS } from '../../../../ui/risk-choices.ts';
import { Select } from '../../../../ui/select.tsx';
import { TextField } from '../../../../ui/text-field.tsx';
import * as policyWords from '../policy.words.ts';
import * as words from './editor.words.ts';
import type { RuleForm } from './rule-form.ts';

const RISKS = (['', ...RISK_TIERS] as const).map((value) => ({
  value,
  label: value === '' ? words.limits.asRequested : words.limits.atLeast(value),
}));
const PROOFS = [
  { value: '', label: words.limits.asRequested },
  ...Object.entries(policyWords.proofs).map(([value, label]) => ({ value, label })),
];

/** The conditions and limits of a rule, and the rest of what it matches. */
export function TermFields({
  form,
  onChange,
}: {
  form: RuleForm;
  onChange: (changes: Partial<RuleForm>) => void;
}) {
  const field = fieldsOf(form, onChange);
  const digits = (text: string) => text.replaceAll(/\D/g, '').slice(0, 7);
  return (
    <div className="policy-form-terms">
      <Select label={words.limits.risk} options={RISKS} {...field('riskTier')} />
      <Select label={words.limits.proof} options={PROOFS} {...field('proofTier')} />
      <TextField
        label={words.limits.timeToDecide}
        hint={words.limits.timeToDecideHint}
        optional
        inputMode="numeric"
        {...field('expiresIn', digits)}
      />
      <TextField
        label={words.limits.permitLifetime}
        hint={words.limits.permitLifetimeHint}
        optional
        inputMode="numeric"
        {...field('permitTtl', digits)}
      />
      <TextField
        label={words.limits.onlyRisk}
        hint={RISK_TIERS.join(' | ')}
        optional
        {...field('matchRisk')}
      />
      <TextField
        label={words.limits.onlyTypes}
        hint="ai_agent | service | ci | script | human | other"
        optional
        {...field('sourceType')}
      />
      <TextField
        label={words.limits.onlySources}
        hint={words.limits.onlySourcesHint}
        optional
        {...field('source')}
      />
    </div>
  );
}
