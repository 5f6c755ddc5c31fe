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
import * as words from './try-it.words.ts';

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
  const [source, setSource] = useState<'sample' | 'past'>('sample');
  const [problem, setProblem] = useState<{ field: string; problem: string } | null>(null);
  const result = useRef<HTMLDivElement>(null);
  const explain = useMutation({
    mutationFn: (about: object) =>
      api.post<PolicyExplanation>(path('/policies/explain'), { policy, ...about }),
  });

  // On a phone, the answer is below the form.
  useEffect(() => {
    if (explain.data) result.current?.scrollIntoView({ block: 'nearest' });
  }, [explain.data]);

  if (!policy) {
    return <Notice tone="warn">{words.draftHasProblems}</Notice>;
  }
  const testSample = () => {
    const sample = toSample(form);
    setProblem('problem' in sample ? sample : null);
    if ('intent' in sample) explain.mutate({ intent: sample.intent });
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
    setSource('sample');
  };
  return (
    <div className="policy-try">
      <Card title={words.request} lead={isDraft ? words.testsDraft : words.testsActive}>
        <Segmented
          legend={words.source.legend}
          options={[
            { value: 'sample', label: words.source.sample },
            { value: 'past', label: words.source.past },
          ]}
          value={source}
          onChange={setSource}
        />
        {source === 'past' ? (
          <PastRequests onChoose={(id) => explain.mutate({ intent_id: id })} />
        ) : (
          <form
            className="policy-form"
            noValidate
            onSubmit={(event) => {
              event.preventDefault();
              testSample();
            }}
          >
            <SampleFields
              form={form}
              onChange={(changes) => setForm({ ...form, ...changes })}
              problemOf={(field) =>
                problem?.field === field ? problem.problem : fieldError(explain.error, `intent.${field}`)
              }
            />
            <div className="button-row">
              <Button type="submit" tone="primary" busy={explain.isPending}>
                {words.test}
              </Button>
            </div>
          </form>
        )}
      </Card>
      <div aria-live="polite" className="stack" ref={result}>
        <ErrorPanel error={explain.error} title={words.notTested} />
        {explain.data && (
          <Explanation
            explanation={explain.data}
            document={document}
            onTakeOver={source === 'past' ? () => takeOver(explain.data) : undefined}
          />
        )}
      </div>
    </div>
  );
}
