import { fieldsOf } from '../../../../api/use-form.ts';
import { RISK_TIERS } from '../../../../ui/risk-choices.ts';
import { Select } from '../../../../ui/select.tsx';
import { TextField } from '../../../../ui/text-field.tsx';
import type { RuleForm } from './rule-form.ts';

const RISKS = ['', ...RISK_TIERS].map((value) => ({
  value,
  label: value === '' ? 'As asked for' : `At least ${value}`,
}));
const PROOFS = [
  { value: '', label: 'As asked for' },
  { value: 'none', label: 'None' },
  { value: 'session', label: 'Signed in themselves' },
  { value: 'device', label: 'An enrolled device' },
  { value: 'passkey', label: 'A passkey' },
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
      <Select label="Risk" options={RISKS} {...field('riskTier')} />
      <Select label="Proof of presence" options={PROOFS} {...field('proofTier')} />
      <TextField
        label="Seconds to decide"
        hint="1 to 2592000"
        optional
        inputMode="numeric"
        {...field('expiresIn', digits)}
      />
      <TextField
        label="Seconds a permit lives"
        hint="10 to 3600"
        optional
        inputMode="numeric"
        {...field('permitTtl', digits)}
      />
      <TextField
        label="Only when the risk asked for is"
        hint={RISK_TIERS.join(' | ')}
        optional
        {...field('matchRisk')}
      />
      <TextField
        label="Only from kinds of source"
        hint="ai_agent | service | ci | script | human | other"
        optional
        {...field('sourceType')}
      />
      <TextField
        label="Only from sources named"
        hint="Written as actions are."
        optional
        {...field('source')}
      />
    </div>
  );
}
