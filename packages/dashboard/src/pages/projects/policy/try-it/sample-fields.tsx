import { useQuery } from '@tanstack/react-query';
import { fieldsOf } from '../../../../api/use-form.ts';
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

/** The fields of a sample request. */
export function SampleFields({
  form,
  onChange,
  problemOf,
}: {
  form: SampleForm;
  onChange: (changes: Partial<SampleForm>) => void;
  problemOf: (field: string) => string | undefined;
}) {
  const field = fieldsOf(form, onChange, problemOf);
  const { data: agents } = useQuery(agentsQuery(useProjectId()));
  const options = (agents?.items ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return (
    <>
      <TextField label="Action" className="code" {...field('action')} />
      <TextArea label="Parameters" className="code" rows={4} {...field('params')} />
      <details className="policy-form-more">
        <summary>Who asks, and how</summary>
        <div className="policy-form-terms">
          <Select
            label="With the key of the agent"
            options={[{ value: '', label: 'None: a service asks' }, ...options]}
            {...field('agentId')}
          />
          <TextField label="Source" {...field('source')} />
          <Select label="Kind of source" options={KINDS} {...field('sourceType')} />
          <Select label="Risk" options={RISKS} {...field('riskTier')} />
          <Select label="Proof of presence" options={PROOFS} {...field('proofTier')} />
          <TextArea label="Metadata" className="code" rows={2} {...field('metadata')} />
        </div>
      </details>
    </>
  );
}
