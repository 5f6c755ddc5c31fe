import { useQuery } from '@tanstack/react-query';
import { fieldsOf } from '../../../../api/use-form.ts';
import { RISK_CHOICES } from '../../../../ui/risk-choices.ts';
import { Select } from '../../../../ui/select.tsx';
import { TextArea, TextField } from '../../../../ui/text-field.tsx';
import { agentsQuery, useProjectId } from '../../project-frame/queries.ts';
import * as policyWords from '../policy.words.ts';
import type { SampleForm } from './sample.ts';
import * as words from './try-it.words.ts';

const TYPES = toOptions(words.types);
const PROOFS = toOptions(policyWords.proofs);

function toOptions(labels: Readonly<Record<string, string>>) {
  const options = Object.entries(labels).map(([value, label]) => ({ value, label }));
  return [{ value: '', label: words.fields.notSet }, ...options];
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
      <TextField label={words.fields.action} className="code" {...field('action')} />
      <TextArea label={words.fields.parameters} className="code" rows={4} {...field('params')} />
      <details className="policy-form-more">
        <summary>{words.fields.requester}</summary>
        <div className="policy-form-terms">
          <Select
            label={words.fields.agent}
            options={[{ value: '', label: words.fields.noAgent }, ...options]}
            {...field('agentId')}
          />
          <TextField label={words.fields.source} {...field('source')} />
          <Select label={words.fields.type} options={TYPES} {...field('sourceType')} />
          <Select label={words.fields.risk} options={RISK_CHOICES} {...field('riskTier')} />
          <Select label={words.fields.proof} options={PROOFS} {...field('proofTier')} />
          <TextArea label={words.fields.metadata} className="code" rows={2} {...field('metadata')} />
        </div>
      </details>
    </>
  );
}
