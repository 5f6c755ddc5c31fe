import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { api } from '../../../../api/client.ts';
import { renew } from '../../../../api/query-client.ts';
import { useSubmit } from '../../../../api/use-submit.ts';
import { InertText } from '../../../../inert-text/inert-text.tsx';
import { toast } from '../../../../ui/announce.tsx';
import { Badge } from '../../../../ui/badge.tsx';
import { Button } from '../../../../ui/button.tsx';
import { Card } from '../../../../ui/card.tsx';
import { EmptyState } from '../../../../ui/empty-state.tsx';
import { ConfirmDialog } from '../../../../ui/form-dialog.tsx';
import { formatCount } from '../../../../ui/format.ts';
import { ErrorPanel } from '../../../../ui/notice.tsx';
import { RelativeTime } from '../../../../ui/time.tsx';
import { Skeleton } from '../../../../ui/waiting.tsx';
import { useProject, useProjectId } from '../../project-frame/queries.ts';
import * as policyWords from '../policy.words.ts';
import { divergencesQuery, policyKey, shadowQuery } from '../policy-queries.ts';
import { Difference } from '../review/difference.tsx';
import { By, sayDetails } from '../review/simulation-result.tsx';
import type { Policy, ShadowDivergences, ShadowPolicy } from '../wire.ts';
import * as words from './shadow.words.ts';

/** A policy that the gate evaluates beside the active one, without effect. */
export function Shadow({
  active,
  draft,
  mayChange,
  onPromote,
}: {
  active: Policy;
  /** The draft; undefined unless it could be published. */
  draft: Policy['policy'] | undefined;
  mayChange: boolean;
  onPromote: (shadow: ShadowPolicy) => void;
}) {
  const { data: shadow, error } = useQuery(shadowQuery(useProjectId()));
  const start = useStart(draft);
  if (error) return <ErrorPanel error={error} />;
  if (shadow === undefined) return <Skeleton />;
  const startButton = mayChange && (
    <Button
      busy={start.busy}
      disabled={!draft}
      title={draft ? undefined : words.needsDraft}
      onClick={start.submit}
    >
      {shadow ? words.replace : words.start}
    </Button>
  );
  if (!shadow) {
    return (
      <>
        <ErrorPanel error={start.error} />
        <EmptyState
          icon="eye"
          title={words.none.title}
          lead={mayChange && !draft ? `${words.none.lead} ${words.needsDraft}` : words.none.lead}
          actions={startButton}
        />
      </>
    );
  }
  return (
    <div className="stack">
      <ErrorPanel error={start.error} />
      <Card
        title={words.title}
        actions={
          mayChange && (
            <>
              {startButton}
              <Button tone="primary" onClick={() => onPromote(shadow)}>
                {words.review}
              </Button>
              <StopShadow shadow={shadow} />
            </>
          )
        }
      >
        <p>
          {words.since(<RelativeTime at={shadow.since} />, <InertText text={shadow.created_by} />)}{' '}
          {words.results(shadow.evaluated, shadow.diverged)}
        </p>
        <details>
          <summary>{words.changes}</summary>
          <Difference before={active.policy} after={shadow.policy} />
        </details>
      </Card>
      <Divergences />
    </div>
  );
}

function useStart(draft: Policy['policy'] | undefined) {
  const { projectId, path } = useProject();
  return useSubmit(async () => {
    if (!draft) return;
    await api.put(path('/policies/shadow'), draft);
    toast(words.started, 'good');
    await renew(policyKey(projectId));
  });
}

function StopShadow({ shadow }: { shadow: ShadowPolicy }) {
  const { projectId, path } = useProject();
  const [isAsking, setAsking] = useState(false);
  const headers = { 'if-match': `"${shadow.hash}"` };
  return (
    <>
      <Button tone="deny" onClick={() => setAsking(true)}>
        {words.stop}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={words.stopDialog.title}
          confirmLabel={words.stop}
          change={() => api.delete(path('/policies/shadow'), { headers })}
          touched={policyKey(projectId)}
          onClose={() => setAsking(false)}
        >
          <p>{words.stopDialog.consequence}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

function Divergences() {
  const { data, error } = useQuery(divergencesQuery(useProjectId()));
  if (!data) return error ? <ErrorPanel error={error} /> : <Skeleton />;
  const { groups, failures, data: newest } = data;
  return (
    <>
      <Card title={words.differences}>
        {groups.length === 0 && <p className="soft">{words.noDifferences}</p>}
        <ul className="policy-divergences">
          {groups.map((group) => (
            <li key={JSON.stringify([group.in_force, group.shadow, group.terms])}>
              <strong className="tabular">{formatCount(group.count)}</strong>{' '}
              <DifferenceLine difference={group} />
            </li>
          ))}
          {failures.map(({ rule, count }) => (
            <li key={`failed ${rule}`}>{words.failed(<InertText text={rule} />, count)}</li>
          ))}
        </ul>
      </Card>
      {newest.length > 0 && (
        <Card title={words.latest}>
          <ul className="policy-divergences">
            {newest.map((divergence) => (
              <li key={divergence.intent_id}>
                <Link to={`/approve/${divergence.intent_id}`}>
                  <RelativeTime at={divergence.at} />
                </Link>{' '}
                <DifferenceLine difference={divergence} />
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  );
}

type Group = Pick<ShadowDivergences['groups'][number], 'in_force' | 'shadow' | 'direction' | 'terms'>;

function DifferenceLine({
  difference: { in_force: active, shadow, direction, terms },
}: {
  difference: Group;
}) {
  return (
    <>
      <Badge tone={direction === 'looser' ? 'warn' : 'neutral'}>{policyWords.directions[direction]}</Badge>{' '}
      {words.difference(
        <>
          {policyWords.decisions[active.effect]} <By rule={active.rule} />
        </>,
        <>
          {terms.length > 0 ? sayDetails(terms) : policyWords.decisions[shadow.effect]}{' '}
          <By rule={shadow.rule} />
        </>,
      )}
    </>
  );
}
