import { useState } from 'react';
import { Button, IconButton } from '../../../../ui/button.tsx';
import { Dialog } from '../../../../ui/dialog.tsx';
import { Select } from '../../../../ui/select.tsx';
import { TextArea, TextField } from '../../../../ui/text-field.tsx';
import { explainRule } from '../document/explain-rule.ts';
import type { Effect, PolicyDocument, PolicyRule } from '../document/policy-document.ts';
import { type RuleForm, toForm, toRule } from './rule-form.ts';
import { Sentence } from './sentence.tsx';

const EFFECTS = [
  { value: 'require_approval', label: 'Ask people' },
  { value: 'allow', label: 'Allow at once' },
  { value: 'deny', label: 'Deny' },
];
const RISKS = ['', 'low', 'medium', 'high', 'critical'].map((value) => ({
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

/** A rule to fill in, read back as a sentence while one does. It changes the draft, and nothing in force. */
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
  const finish = () => {
    setTried(true);
    if (!problem && !nobody) onDone(made);
  };
  return (
    <Dialog
      open
      width="wide"
      title={rule.name === '' ? 'A new rule' : `The rule ${rule.name}`}
      onClose={onClose}
      onSubmit={finish}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" tone="primary">
            Put it in the draft
          </Button>
        </>
      }
    >
      <div className="policy-form">
        <div className="policy-form-read" aria-live="polite">
          <Sentence parts={explainRule(made, fallback)} />
        </div>
        <TextField
          label="Name"
          hint="Approvals by policy are told by it, e.g. policy:small refunds."
          value={form.name}
          maxLength={100}
          error={isTried ? problem : undefined}
          onChange={(event) => change({ name: event.target.value })}
        />
        <Select
          label="What it does"
          options={EFFECTS}
          value={form.effect}
          onChange={(event) => change({ effect: event.target.value as Effect })}
        />
        <TextField
          label="Actions"
          hint="Names, or a beginning and *; several joined by |. For instance payments.* | deploy.production"
          className="code"
          value={form.action}
          error={
            isTried && nobody ? 'A rule needs actions or a condition; * stands for every action.' : undefined
          }
          onChange={(event) => change({ action: event.target.value })}
        />
        <TextArea
          label="Condition"
          optional
          hint="CEL over action, params, source, source_type, risk_tier, proof_tier, agent, metadata, now. For instance params.amount > 5000.0"
          className="code"
          rows={2}
          value={form.when}
          onChange={(event) => change({ when: event.target.value })}
        />
        {form.effect === 'require_approval' && (
          <Requirements entries={form.require} onChange={(require) => change({ require })} />
        )}
        <TextField
          label="Reason"
          optional
          hint="Told to whoever asked."
          value={form.reason}
          maxLength={500}
          onChange={(event) => change({ reason: event.target.value })}
        />
        <details className="policy-form-more" open={hasTerms(form)}>
          <summary>Terms, and who asks</summary>
          <Terms form={form} onChange={change} />
        </details>
      </div>
    </Dialog>
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

function Requirements({
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
      <legend>Who has to approve</legend>
      {entries.length === 0 && <p className="soft small">Whoever decides where no rule speaks.</p>}
      {entries.map((entry, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: entries have no names, and stay in their order
        <div key={index} className="policy-form-entry">
          <TextField
            label="How many"
            inputMode="numeric"
            value={entry.count}
            onChange={(event) => set(index, { count: event.target.value.replaceAll(/\D/g, '').slice(0, 2) })}
          />
          <TextField
            label="Of whom"
            hint={index === 0 ? 'Groups, addresses, role:approver, role:admin, role:owner' : undefined}
            value={entry.from}
            onChange={(event) => set(index, { from: event.target.value })}
          />
          <IconButton
            icon="trash"
            label={`Leave out entry ${index + 1}`}
            onClick={() => onChange(entries.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      <Button size="s" icon="plus" onClick={() => onChange([...entries, { from: '', count: '1' }])}>
        {entries.length === 0 ? 'Name people' : 'And others'}
      </Button>
    </fieldset>
  );
}

function Terms({ form, onChange }: { form: RuleForm; onChange: (changes: Partial<RuleForm>) => void }) {
  const digits = (text: string) => text.replaceAll(/\D/g, '').slice(0, 7);
  return (
    <div className="policy-form-terms">
      <Select
        label="Risk"
        options={RISKS}
        value={form.riskTier}
        onChange={(event) => onChange({ riskTier: event.target.value })}
      />
      <Select
        label="Proof of presence"
        options={PROOFS}
        value={form.proofTier}
        onChange={(event) => onChange({ proofTier: event.target.value })}
      />
      <TextField
        label="Seconds to decide"
        hint="1 to 2592000"
        optional
        inputMode="numeric"
        value={form.expiresIn}
        onChange={(event) => onChange({ expiresIn: digits(event.target.value) })}
      />
      <TextField
        label="Seconds a permit lives"
        hint="10 to 3600"
        optional
        inputMode="numeric"
        value={form.permitTtl}
        onChange={(event) => onChange({ permitTtl: digits(event.target.value) })}
      />
      <TextField
        label="Only when the risk asked for is"
        hint="low | medium | high | critical"
        optional
        value={form.matchRisk}
        onChange={(event) => onChange({ matchRisk: event.target.value })}
      />
      <TextField
        label="Only from kinds of source"
        hint="ai_agent | service | ci | script | human | other"
        optional
        value={form.sourceType}
        onChange={(event) => onChange({ sourceType: event.target.value })}
      />
      <TextField
        label="Only from sources named"
        hint="Written as actions are."
        optional
        value={form.source}
        onChange={(event) => onChange({ source: event.target.value })}
      />
    </div>
  );
}
