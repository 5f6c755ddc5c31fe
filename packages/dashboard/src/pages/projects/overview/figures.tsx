import type { ReactNode } from 'react';
import type { Overview } from '../project-frame/wire.ts';
import { saySeconds } from './say-seconds.ts';

export function Figures({ overview }: { overview: Overview }) {
  const { totals, time_to_decision: time, pending } = overview;
  return (
    <dl className="overview-figures">
      <Figure label="Waiting for people" value={pending} />
      <Figure label="Put before people" value={totals.asked} />
      <Figure
        label="Median time to decide"
        value={time.median_seconds === null ? 'none yet' : saySeconds(time.median_seconds)}
        note={`of ${time.decided} decided by people`}
      />
      <Figure
        label="95 of 100 within"
        value={time.p95_seconds === null ? 'none yet' : saySeconds(time.p95_seconds)}
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
