import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { fieldError } from '../../../../api/api-error.ts';
import { api } from '../../../../api/client.ts';
import { Button } from '../../../../ui/button.tsx';
import { Card } from '../../../../ui/card.tsx';
import { ErrorPanel, Notice } from '../../../../ui/notice.tsx';
import { Segmented } from '../../../../ui/segmented.tsx';
import { useProject } from '../../project-frame/queries.ts';
import { formatJson } from '../document/format-json.ts';
import type { PolicyDocument } from '../document/policy-document.ts';
import type { Policy, PolicyExplanation } from '../wire.ts';
import { Explanation } from './explanation.tsx';
import { PastRequests } from './past-requests.tsx';
import { EMPTY_SAMPLE, toSample } from './sample.ts';
import { SampleFields } from './sample-fields.tsx';

/** Tests a policy on one request, sample or past, and shows the result of each rule. */
export function TryIt({
  policy,
  document,
  isDraft,
}: {
  /** Undefined while the draft has problems. */
  policy: Policy['policy'] | undefined;
  document: PolicyDocument | undefined;
  isDraft: boolean;
}) {
  const { path } = useProject();
  const [form, setForm] = useState(EMPTY_SAMPLE);
  const [source, setSource] = useState<'made up' | 'past'>('made up');
  const [problem, setProblem] = useState<{ field: string; problem: string } | null>(null);
  const answer = useRef<HTMLDivElement>(null);
  const ask = useMutation({
    mutationFn: (about: object) =>
      api.post<PolicyExplanation>(path('/policies/explain'), { policy, ...about }),
  });

  // On a phone, the answer is below the form.
  useEffect(() => {
    if (ask.data) answer.current?.scrollIntoView({ block: 'nearest' });
  }, [ask.data]);

  if (!policy) {
    return <Notice tone="warn">Put the problems of the draft right first; then it can be asked.</Notice>;
  }
  const askMadeUp = () => {
    const sample = toSample(form);
    setProblem('problem' in sample ? sample : null);
    if ('intent' in sample) ask.mutate({ intent: sample.intent });
  };
  const takeOver = ({ request }: PolicyExplanation) => {
    setForm({
      ...EMPTY_SAMPLE,
      action: request.action,
      params: formatJson(request.params),
      metadata: formatJson(request.metadata),
      source: request.agent ? '' : (request.source ?? ''),
      sourceType: request.source_type,
      riskTier: request.risk_tier,
      proofTier: request.proof_tier,
      agentId: request.agent?.id ?? '',
    });
    setSource('made up');
  };
  return (
    <div className="policy-try">
      <Card
        title="A request"
        lead={isDraft ? 'Asked of your draft, not of what is in force.' : 'Asked of the policy in force.'}
      >
        <Segmented
          legend="Which request"
          options={[
            { value: 'made up', label: 'Made up' },
            { value: 'past', label: 'From the past' },
          ]}
          value={source}
          onChange={setSource}
        />
        {source === 'past' ? (
          <PastRequests onChoose={(id) => ask.mutate({ intent_id: id })} />
        ) : (
          <form
            className="policy-form"
            noValidate
            onSubmit={(event) => {
              event.preventDefault();
              askMadeUp();
            }}
          >
            <SampleFields
              form={form}
              onChange={(changes) => setForm({ ...form, ...changes })}
              problemOf={(field) =>
                problem?.field === field ? problem.problem : fieldError(ask.error, `intent.${field}`)
              }
            />
            <div className="button-row">
              <Button type="submit" tone="primary" busy={ask.isPending}>
                Ask the policy
              </Button>
            </div>
          </form>
        )}
      </Card>
      <div aria-live="polite" className="stack" ref={answer}>
        <ErrorPanel error={ask.error} title="It could not be asked." />
        {ask.data && (
          <Explanation
            explanation={ask.data}
            document={document}
            onTakeOver={source === 'past' ? () => takeOver(ask.data) : undefined}
          />
        )}
      </div>
    </div>
  );
}
