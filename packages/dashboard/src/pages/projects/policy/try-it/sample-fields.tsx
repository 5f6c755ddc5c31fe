import { useQuery } from '@tanstack/react-query';
import { RISK_TIERS } from '../../../../ui/risk-choices.ts';
import { Select } from '../../../../ui/select.tsx';
import { TextArea, TextField } from '../../../../ui/text-field.tsx';
import { agentsQuery, useProjectId } from '../../project-frame/queries.ts';
import type { SampleForm } from './sample.ts';

const KINDS = ['', 'ai_agent', 'service', 'ci', 'script', 'human', 'other'].map(asOption);
const RISKS = ['', ...RISK_TIERS].map(asOption);
const PROOFS = ['', 'none', 'session', 'device', 'passkey'].map(asOption);

function asOption(value: string) {
  return { value, label: value === '' ? 'Not said' : value.replace('_', ' ') };
}

/** A made-up request to fill in. */
export function SampleFields({
  form,
  onChange,
  problemOf,
}: {
  form: SampleForm;
  onChange: (changes: Partial<SampleForm>) => void;
  problemOf: (field: string) => string | undefined;
}) {
  const { data: agents } = useQuery(agentsQuery(useProjectId()));
  const options = (agents?.items ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return (
    <>
      <TextField
        label="Action"
        className="code"
        value={form.action}
        error={problemOf('action')}
        onChange={(event) => onChange({ action: event.target.value })}
      />
      <TextArea
        label="Parameters"
        className="code"
        rows={4}
        value={form.params}
        error={problemOf('params')}
        onChange={(event) => onChange({ params: event.target.value })}
      />
      <details className="policy-form-more">
        <summary>Who asks, and how</summary>
        <div className="policy-form-terms">
          <Select
            label="With the key of the agent"
            options={[{ value: '', label: 'None: a service asks' }, ...options]}
            value={form.agentId}
            onChange={(event) => onChange({ agentId: event.target.value })}
          />
          <TextField
            label="Source"
            value={form.source}
            error={problemOf('source')}
            onChange={(event) => onChange({ source: event.target.value })}
          />
          <Select
            label="Kind of source"
            options={KINDS}
            value={form.sourceType}
            onChange={(event) => onChange({ sourceType: event.target.value })}
          />
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
          <TextArea
            label="Metadata"
            className="code"
            rows={2}
            value={form.metadata}
            error={problemOf('metadata')}
            onChange={(event) => onChange({ metadata: event.target.value })}
          />
        </div>
      </details>
    </>
  );
}
