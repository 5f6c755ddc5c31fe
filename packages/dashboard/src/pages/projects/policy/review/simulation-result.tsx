import { Link } from 'react-router';
import { InertText } from '../../../../inert-text/inert-text.tsx';
import { Badge } from '../../../../ui/badge.tsx';
import { Button } from '../../../../ui/button.tsx';
import { formatCount } from '../../../../ui/format.ts';
import { ErrorPanel, Notice } from '../../../../ui/notice.tsx';
import * as policyWords from '../policy.words.ts';
import * as words from './review.words.ts';
import { simulationSentences } from './simulation-sentences.ts';
import type { SimulationSummary } from './simulation-stream.ts';
import type { useSimulation } from './use-simulation.ts';

/** What the draft would have decided in the last 30 days, shown as the results arrive. */
export function SimulationResult({ state, start, stop }: ReturnType<typeof useSimulation>) {
  switch (state.kind) {
    case 'running':
      return <Running progress={state.progress} onStop={stop} />;
    case 'failed':
      return <ErrorPanel error={state.error} title={words.simulationFailed} onRetry={start} />;
    case 'stopped':
      return (
        <Notice>
          {words.simulationStopped}{' '}
          <Button size="s" icon="refresh" onClick={start}>
            {words.runSimulation}
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
        aria-label={words.simulating}
        {...(progress && { value: scanned, max: Math.max(1, total) })}
      />
      <span className="tabular small" role="status">
        {progress ? words.progress(scanned, total, changed) : `${words.simulating}…`}
      </span>
      <Button size="s" onClick={onStop}>
        {words.stopSimulation}
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
        {words.simulatedOn(evaluated)} {skipped > 0 && words.skipped(skipped)} {!complete && words.incomplete}
      </p>
      {evaluated === 0 && <p>{words.noRequests}</p>}
      {evaluated > 0 && sentences.length === 0 && (
        <p>
          <strong>{changes.groups.length === 0 ? words.noDecisionChanges : words.onlyDetailsChange}</strong>
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

const DIRECTION_TONES = { stricter: 'info', looser: 'warn', mixed: 'neutral' } as const;

function Groups({ groups }: { groups: Groups }) {
  if (groups.length === 0) return null;
  return (
    <details className="policy-groups">
      <summary>{words.allChanges(groups.length)}</summary>
      <ul>
        {groups.map((group) => (
          <li key={JSON.stringify([group.from, group.to, group.terms])}>
            <Badge tone={DIRECTION_TONES[group.direction]}>{policyWords.directions[group.direction]}</Badge>{' '}
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
      {policyWords.decisions[from.effect]} <By rule={from.rule} /> →{' '}
      {terms.length > 0 ? sayDetails(terms) : policyWords.decisions[to.effect]} <By rule={to.rule} />
    </>
  );
}

/** What differs although the effect is the same. @param terms Names of the API. */
export function sayDetails(terms: readonly string[]): string {
  return words.otherDetails(terms.map((term) => policyWords.details[term] ?? term));
}

/** The rule that decides. */
export function By({ rule }: { rule: string | null }) {
  return (
    <span className="soft">
      {rule === null ? policyWords.byDefault : policyWords.byRule(<InertText text={rule} />)}
    </span>
  );
}

function Samples({ ids }: { ids: readonly string[] }) {
  return (
    <span className="policy-samples small">
      {ids.map((id, index) => (
        <Link key={id} to={`/approve/${id}`}>
          <span className="unseen">{words.example(index + 1)}</span>…{id.slice(-5)}
        </Link>
      ))}
    </span>
  );
}

function Failures({ failures }: { failures: SimulationSummary['failures'] }) {
  if (failures.length === 0) return null;
  return (
    <Notice tone="warn" title={words.failures.title}>
      <ul>
        {failures.map(({ rule, message, count }) => (
          <li key={rule}>{words.failure(<InertText text={rule} />, count, <InertText text={message} />)}</li>
        ))}
      </ul>
      {words.failures.consequence}
    </Notice>
  );
}
