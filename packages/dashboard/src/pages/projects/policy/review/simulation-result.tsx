import { Link } from 'react-router';
import { InertText } from '../../../../inert-text/inert-text.tsx';
import { Badge } from '../../../../ui/badge.tsx';
import { Button } from '../../../../ui/button.tsx';
import { formatCount } from '../../../../ui/format.ts';
import { ErrorPanel, Notice } from '../../../../ui/notice.tsx';
import { EFFECT_WORDS } from '../editor/effect-badge.tsx';
import { simulationSentences } from './simulation-sentences.ts';
import type { SimulationSummary } from './simulation-stream.ts';
import type { useSimulation } from './use-simulation.ts';

/** What the draft would have decided in the last 30 days, shown as the results arrive. */
export function SimulationResult({ state, start, stop }: ReturnType<typeof useSimulation>) {
  switch (state.kind) {
    case 'running':
      return <Running progress={state.progress} onStop={stop} />;
    case 'failed':
      return <ErrorPanel error={state.error} title="It could not be tried on the past." onRetry={start} />;
    case 'stopped':
      return (
        <Notice>
          Stopped: how it would have treated the last 30 days is not known.{' '}
          <Button size="s" icon="refresh" onClick={start}>
            Try it on them
          </Button>
        </Notice>
      );
    case 'finished':
      return <Finished summary={state.summary} />;
  }
}

function Running({
  progress,
  onStop,
}: {
  progress: { scanned: number; total: number; changed: number } | null;
  onStop: () => void;
}) {
  const { scanned = 0, total = 0, changed = 0 } = progress ?? {};
  return (
    <div className="policy-running">
      <progress
        aria-label="Trying it on the last 30 days"
        {...(progress && { value: scanned, max: Math.max(1, total) })}
      />
      <span className="tabular small" role="status">
        {progress
          ? `${formatCount(scanned)} of ${formatCount(total)} requests, ${formatCount(changed)} change`
          : 'Trying it on the last 30 days…'}
      </span>
      <Button size="s" onClick={onStop}>
        Stop
      </Button>
    </div>
  );
}

function Finished({ summary }: { summary: SimulationSummary }) {
  const sentences = simulationSentences(summary.became);
  const { evaluated, skipped, complete, changes, failures } = summary;
  return (
    <div className="stack tight" role="status">
      <p className="small soft">
        Tried on {formatCount(evaluated)} {evaluated === 1 ? 'request' : 'requests'} of the last 30 days
        {skipped > 0 && `; ${formatCount(skipped)} left out, for texts of theirs were erased`}
        {!complete && '; the time was over before all were looked at'}.
      </p>
      {evaluated === 0 && <p>Nothing was asked for in the last 30 days, so nothing is known.</p>}
      {evaluated > 0 && sentences.length === 0 && (
        <p>
          <strong>
            {changes.groups.length === 0
              ? 'Nothing would have gone another way.'
              : 'Nothing would have been allowed, denied or asked about otherwise; terms change.'}
          </strong>
        </p>
      )}
      <ul className="policy-sentences">
        {sentences.map(({ text, tone }) => (
          <li key={text} data-tone={tone}>
            {text}
          </li>
        ))}
      </ul>
      <Groups groups={changes.groups} />
      <Failures failures={failures.filter(({ policy }) => policy === 'draft')} />
    </div>
  );
}

type Groups = SimulationSummary['changes']['groups'];

const TERM_WORDS: Readonly<Record<string, string>> = {
  requirement: 'who has to approve',
  risk_tier: 'the risk',
  proof_tier: 'the proof of presence',
  expires_in: 'the time to decide',
  permit_ttl: 'how long a permit lives',
};
const DIRECTION_TONES = { stricter: 'info', looser: 'warn', mixed: 'neutral' } as const;

function Groups({ groups }: { groups: Groups }) {
  if (groups.length === 0) return null;
  return (
    <details className="policy-groups">
      <summary>Change by change, from the policy in force ({formatCount(groups.length)})</summary>
      <ul>
        {groups.map((group) => (
          <li key={JSON.stringify([group.from, group.to, group.terms])}>
            <Badge tone={DIRECTION_TONES[group.direction]}>{group.direction}</Badge>{' '}
            <strong className="tabular">{formatCount(group.count)}</strong> <Change group={group} />
            <Samples ids={group.samples} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function Change({ group: { from, to, terms } }: { group: Groups[number] }) {
  return (
    <>
      {EFFECT_WORDS[from.effect]} <By rule={from.rule} /> →{' '}
      {terms.length > 0
        ? `other terms: ${terms.map((term) => TERM_WORDS[term] ?? term).join(', ')}`
        : EFFECT_WORDS[to.effect]}{' '}
      <By rule={to.rule} />
    </>
  );
}

/** The rule that decides. */
export function By({ rule }: { rule: string | null }) {
  if (rule === null) return <span className="soft">where no rule speaks</span>;
  return (
    <span className="soft">
      by “<InertText text={rule} />”
    </span>
  );
}

function Samples({ ids }: { ids: readonly string[] }) {
  return (
    <span className="policy-samples small">
      {ids.map((id, index) => (
        <Link key={id} to={`/approve/${id}`}>
          <span className="unseen">Request {index + 1} of these: </span>…{id.slice(-5)}
        </Link>
      ))}
    </span>
  );
}

function Failures({ failures }: { failures: SimulationSummary['failures'] }) {
  if (failures.length === 0) return null;
  return (
    <Notice tone="warn" title="Conditions that could not be evaluated">
      <ul>
        {failures.map(({ rule, message, count }) => (
          <li key={rule}>
            “<InertText text={rule} />
            ”, {formatCount(count)} times: <InertText text={message} />
          </li>
        ))}
      </ul>
      Such a rule counts as matched when it denies or asks, and never when it allows.
    </Notice>
  );
}
