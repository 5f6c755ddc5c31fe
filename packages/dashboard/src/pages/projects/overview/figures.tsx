import type { ReactNode } from 'react';
import { formatCount } from '../../../ui/format.ts';
import type { Overview } from '../project-frame/wire.ts';
import * as words from './overview.words.ts';

export function Figures({ overview }: { overview: Overview }) {
  const { totals, time_to_decision: time, pending } = overview;
  return (
    <dl className="overview-figures">
      <Figure label={words.figures.pending} value={formatCount(pending)} />
      <Figure label={words.figures.sentForReview} value={formatCount(totals.asked)} />
      <Figure
        label={words.figures.median}
        value={time.median_seconds === null ? words.figures.none : words.decisionTime(time.median_seconds)}
        note={words.decidedByPeople(time.decided)}
      />
      <Figure
        label={words.figures.p95}
        value={time.p95_seconds === null ? words.figures.none : words.decisionTime(time.p95_seconds)}
      />
    </dl>
  );
}

function Figure({ label, value, note }: { label: string; value: ReactNode; note?: string }) {
  return (
    <div className="card overview-figure">
      <dt>{label}</dt>
      <dd>
        <span className="overview-number tabular">{value}</span>
        {note && <span className="soft small">{note}</span>}
      </dd>
    </div>
  );
}
