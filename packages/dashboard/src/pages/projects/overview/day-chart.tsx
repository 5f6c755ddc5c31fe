import { useId } from 'react';
import { Card } from '../../../ui/card.tsx';
import { formatCompact, formatCount, formatDay } from '../../../ui/format.ts';
import { Table } from '../../../ui/table.tsx';
import type { Overview } from '../project-frame/wire.ts';
import { ChartPatterns, Swatch } from './chart-patterns.tsx';
import * as words from './overview.words.ts';
import { useOwnWidth } from './own-width.ts';
import { STATUSES } from './statuses.ts';

type Day = Overview['days'][number];

const HEIGHT = 220;
const TOP = 12;
const BOTTOM = 26;
const LEFT = 44;

/** Requests per day, stacked by how they ended. A table shows the same numbers. */
export function DayChart({ days }: { days: readonly Day[] }) {
  const [box, width] = useOwnWidth<HTMLDivElement>();
  const id = useId();
  return (
    <Card title={words.chart.title}>
      <div className="stack">
        <ul className="overview-legend" aria-label={words.chart.legend}>
          {STATUSES.map(({ status, label }) => (
            <li key={status} className="row">
              <Swatch id={id} status={status} />
              {label}
            </li>
          ))}
        </ul>
        <div ref={box} className="overview-chart">
          {width > 0 && <Bars id={id} days={days} width={width} />}
        </div>
        <details className="project-fold">
          <summary>{words.chart.asTable}</summary>
          <Table
            caption={words.chart.caption}
            rows={days.toReversed()}
            rowKey={(day) => day.day}
            columns={{
              [words.chart.day]: (day: Day) => formatDay(day.day),
              ...Object.fromEntries(
                STATUSES.map(({ status, label }) => [label, (day: Day) => formatCount(day[status])]),
              ),
            }}
            numbers={STATUSES.map(({ label }) => label)}
          />
        </details>
      </div>
    </Card>
  );
}

function Bars({ id, days, width }: { id: string; days: readonly Day[]; width: number }) {
  const most = niceCeiling(Math.max(1, ...days.map(sumOf)));
  const plot = HEIGHT - TOP - BOTTOM;
  const step = (width - LEFT) / days.length;
  const bar = Math.max(1, Math.min(32, step * 0.72));
  const heightOf = (count: number) => (count / most) * plot;
  const total = days.reduce((sum, day) => sum + sumOf(day), 0);
  return (
    <svg
      width={width}
      height={HEIGHT}
      role="img"
      aria-label={words.chartSummary(total, days.length, Math.max(...days.map(sumOf)))}
    >
      <ChartPatterns id={id} />
      {[0, 0.5, 1].map((part) => {
        const y = TOP + plot * (1 - part);
        return (
          <g key={part}>
            <line x1={LEFT} x2={width} y1={y} y2={y} className="chart-grid" />
            <text x={LEFT - 8} y={y + 4} textAnchor="end" className="chart-text">
              {formatCompact(most * part)}
            </text>
          </g>
        );
      })}
      {days.map((day, at) => {
        const x = LEFT + at * step + (step - bar) / 2;
        let y = TOP + plot;
        return (
          <g key={day.day}>
            <title>
              {words.onDay(
                formatDay(day.day),
                STATUSES.map(({ status, label }) => words.ofStatus(label, day[status])),
              )}
            </title>
            <rect x={LEFT + at * step} y={TOP} width={step} height={plot} className="chart-hit" />
            {STATUSES.map(({ status }) => {
              const height = heightOf(day[status]);
              y -= height;
              return height > 0 ? (
                <rect
                  key={status}
                  x={x}
                  y={y}
                  width={bar}
                  height={height}
                  fill={`url(#${id}-${status})`}
                  className="chart-bar"
                />
              ) : null;
            })}
          </g>
        );
      })}
      {labelled(days.length, width - LEFT).map((at) => (
        <text
          key={at}
          x={LEFT + (at + 0.5) * step}
          y={HEIGHT - 8}
          textAnchor={
            step > LABEL_WIDTH / 2 ? 'middle' : at === days.length - 1 ? 'end' : at === 0 ? 'start' : 'middle'
          }
          className="chart-text"
        >
          {days[at] && formatDay(days[at].day)}
        </text>
      ))}
    </svg>
  );
}

function sumOf({ pending, approved, denied, expired }: Day): number {
  return pending + approved + denied + expired;
}

const LABEL_WIDTH = 90;

/** Which days have a label under the axis: as many as fit, always with the first and the last. */
function labelled(count: number, width: number): number[] {
  const labels = Math.min(count, Math.max(2, Math.floor(width / LABEL_WIDTH)));
  if (count === 1) return [0];
  return Array.from({ length: labels }, (_, n) => Math.round((n * (count - 1)) / (labels - 1)));
}

/** The next round number whose half is also round. */
function niceCeiling(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  return [2, 3, 4, 6, 8, 10, 20].map((factor) => factor * power).find((ceiling) => ceiling >= most) ?? most;
}
