import { useId } from 'react';
import { Card } from '../../../ui/card.tsx';
import { formatCount } from '../../../ui/format.ts';
import type { Overview } from '../project-frame/wire.ts';
import { ChartPatterns, Swatch } from './chart-patterns.tsx';
import * as words from './overview.words.ts';
import { useOwnWidth } from './own-width.ts';
import type { Status } from './statuses.ts';

const HEIGHT = 22;

/** How many requests the policy decided, and how many went to people. */
export function HowDecided({ totals }: { totals: Overview['totals'] }) {
  const [box, width] = useOwnWidth<HTMLDivElement>();
  const id = useId();
  const parts: readonly { name: string; count: number; pattern: Status }[] = [
    { name: words.howDecided.sentForReview, count: totals.asked, pattern: 'pending' },
    { name: words.howDecided.allowed, count: totals.auto_approved, pattern: 'approved' },
    { name: words.howDecided.denied, count: totals.auto_denied, pattern: 'denied' },
  ];
  const all = Math.max(1, totals.intents);
  let x = 0;
  return (
    <Card title={words.howDecided.title}>
      <div className="stack">
        <div ref={box} className="overview-chart">
          {width > 0 && (
            <svg width={width} height={HEIGHT} aria-hidden="true">
              <ChartPatterns id={id} />
              {parts.map(({ name, count, pattern }) => {
                const from = x;
                x += (count / all) * width;
                return count > 0 ? (
                  <rect
                    key={name}
                    x={from}
                    width={x - from}
                    height={HEIGHT}
                    fill={`url(#${id}-${pattern})`}
                    className="chart-bar"
                  />
                ) : null;
              })}
            </svg>
          )}
        </div>
        <dl className="overview-parts">
          {parts.map(({ name, count, pattern }) => (
            <div key={name}>
              <dt className="row">
                <Swatch id={id} status={pattern} /> {name}
              </dt>
              <dd className="tabular">
                {formatCount(count)} <span className="soft">{words.percent(count / all)}</span>
              </dd>
            </div>
          ))}
        </dl>
        <p className="soft small">{words.reviewed(totals.approved, totals.denied, totals.expired)}</p>
      </div>
    </Card>
  );
}
