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
import { EFFECT_WORDS } from '../editor/effect-badge.tsx';
import { divergencesQuery, policyKey, shadowQuery } from '../policy-queries.ts';
import { Difference } from '../review/difference.tsx';
import { By } from '../review/simulation-result.tsx';
import type { Policy, ShadowDivergences, ShadowPolicy } from '../wire.ts';

/** A policy that the gate evaluates beside the active one, without effect. */
export function Shadow({
  inForce,
  draft,
  mayChange,
  onPromote,
}: {
  inForce: Policy;
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
      title={draft ? undefined : 'Write a draft without problems first'}
      onClick={start.submit}
    >
      {shadow ? 'Shadow the draft instead' : 'Shadow the draft'}
    </Button>
  );
  if (!shadow) {
    return (
      <>
        <ErrorPanel error={start.error} />
        <EmptyState
          icon="eye"
          title="No policy runs in the shadow"
          lead="A shadow is asked about every request that is made, beside the policy in force, and never acted on. It shows what a draft would do with what comes tomorrow."
          actions={startButton}
        />
      </>
    );
  }
  return (
    <div className="stack">
      <ErrorPanel error={start.error} />
      <Card
        title="In the shadow"
        actions={
          mayChange && (
            <>
              {startButton}
              <Button tone="primary" onClick={() => onPromote(shadow)}>
                Review it, to put it in force
              </Button>
              <StopShadow shadow={shadow} />
            </>
          )
        }
      >
        <p>
          Since <RelativeTime at={shadow.since} />, set by <InertText text={shadow.created_by} />. Asked about{' '}
          <strong className="tabular">{formatCount(shadow.evaluated)}</strong>{' '}
          {shadow.evaluated === 1 ? 'request' : 'requests'}; of{' '}
          <strong className="tabular">{formatCount(shadow.diverged)}</strong> it says something else.
        </p>
        <details>
          <summary>What it changes from the policy in force</summary>
          <Difference before={inForce.policy} after={shadow.policy} />
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
    toast('The draft runs in the shadow from the next request on.', 'good');
    await renew(policyKey(projectId));
  });
}

function StopShadow({ shadow }: { shadow: ShadowPolicy }) {
  const { projectId, path } = useProject();
  const [isAsked, setAsked] = useState(false);
  const headers = { 'if-match': `"${shadow.hash}"` };
  return (
    <>
      <Button tone="deny" onClick={() => setAsked(true)}>
        Stop it
      </Button>
      {isAsked && (
        <ConfirmDialog
          title="Stop the shadow?"
          confirmLabel="Stop the shadow"
          change={() => api.delete(path('/policies/shadow'), { headers })}
          touched={policyKey(projectId)}
          onClose={() => setAsked(false)}
        >
          <p>What it has found so far is forgotten. The policy in force stays as it is.</p>
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
      <Card title="What it would have done otherwise">
        {groups.length === 0 && <p className="soft">Nothing so far.</p>}
        <ul className="policy-divergences">
          {groups.map((group) => (
            <li key={JSON.stringify([group.in_force, group.shadow, group.terms])}>
              <strong className="tabular">{formatCount(group.count)}</strong> <Said difference={group} />
            </li>
          ))}
          {failures.map(({ rule, count }) => (
            <li key={`failed ${rule}`}>
              <strong className="tabular">{formatCount(count)}</strong> times the condition of “
              <InertText text={rule} />” could not be evaluated.
            </li>
          ))}
        </ul>
      </Card>
      {newest.length > 0 && (
        <Card title="The newest, one by one">
          <ul className="policy-divergences">
            {newest.map((divergence) => (
              <li key={divergence.intent_id}>
                <Link to={`/approve/${divergence.intent_id}`}>
                  <RelativeTime at={divergence.at} />
                </Link>{' '}
                <Said difference={divergence} />
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  );
}

type Group = Pick<ShadowDivergences['groups'][number], 'in_force' | 'shadow' | 'direction' | 'terms'>;

function Said({ difference: { in_force: inForce, shadow, direction, terms } }: { difference: Group }) {
  return (
    <>
      <Badge tone={direction === 'looser' ? 'warn' : 'neutral'}>{direction}</Badge>{' '}
      {EFFECT_WORDS[inForce.effect]} <By rule={inForce.rule} />, and in the shadow{' '}
      {terms.length > 0 ? `on other terms (${terms.join(', ')})` : EFFECT_WORDS[shadow.effect]}{' '}
      <By rule={shadow.rule} />
    </>
  );
}
