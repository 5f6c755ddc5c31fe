import type { Status } from './statuses.ts';

/** The fill patterns of the charts, by `id`: plain, striped, dotted, lined. */
export function ChartPatterns({ id }: { id: string }) {
  return (
    <defs>
      <Pattern id={id} status="approved" />
      <Pattern id={id} status="denied">
        <path d="M-1 7 7-1M-1 1 1-1M5 7 7 5" className="chart-mark" />
      </Pattern>
      <Pattern id={id} status="expired">
        <circle cx="3" cy="3" r="1.1" className="chart-dot" />
      </Pattern>
      <Pattern id={id} status="pending">
        <path d="M0 1.5h6M0 4.5h6" className="chart-mark" />
      </Pattern>
    </defs>
  );
}

function Pattern({ id, status, children }: { id: string; status: Status; children?: React.ReactNode }) {
  return (
    <pattern id={`${id}-${status}`} width="6" height="6" patternUnits="userSpaceOnUse">
      <rect width="6" height="6" className={`chart-${status}`} />
      {children}
    </pattern>
  );
}

/** A square of the pattern, for legends. */
export function Swatch({ id, status }: { id: string; status: Status }) {
  return (
    <svg width="14" height="14" aria-hidden="true" className="chart-swatch">
      <rect width="14" height="14" rx="2" fill={`url(#${id}-${status})`} />
    </svg>
  );
}
