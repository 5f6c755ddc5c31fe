import { BareSelect } from '../../ui/select.tsx';
import { TypedField } from '../../ui/typed-field.tsx';
import { readNamed } from '../inbox/inbox-filters.ts';
import { RequestFilters } from '../inbox/request-filters.tsx';
import { filters as words } from './history.words.ts';

const FILTERS = ['q', 'status', 'project', 'risk_tier', 'action', 'source', 'decider', 'from', 'to'] as const;
const STATUSES = [
  { value: '', label: words.anyOutcome },
  { value: 'approved', label: words.approved },
  { value: 'denied', label: words.denied },
  { value: 'expired', label: words.expired },
];

type HistoryFilterValues = Record<(typeof FILTERS)[number], string>;

/** The filters in the URL; empty means not set. */
export function readHistoryFilters(params: URLSearchParams): HistoryFilterValues {
  return readNamed(params, FILTERS);
}

/** The URL holds every filter. */
export function HistoryFilters({
  filters,
  set,
}: {
  filters: HistoryFilterValues;
  set: (name: string) => (value: string) => void;
}) {
  return (
    <RequestFilters
      className="history-filters"
      filters={filters}
      set={set}
      first={
        <BareSelect
          aria-label={words.outcome}
          value={filters.status}
          options={STATUSES}
          onChange={(event) => set('status')(event.target.value)}
        />
      }
    >
      <TypedField
        label={words.decidedBy}
        placeholder={words.decidedBy}
        value={filters.decider}
        onValue={set('decider')}
      />
      <Day label={words.from} value={filters.from} onValue={set('from')} />
      <Day label={words.until} value={filters.to} onValue={set('to')} />
    </RequestFilters>
  );
}

function Day({ label, value, onValue }: { label: string; value: string; onValue: (value: string) => void }) {
  return (
    <label className="history-day small soft">
      {label}
      <input type="date" className="input" value={value} onChange={(event) => onValue(event.target.value)} />
    </label>
  );
}

/** "Until the 5th" includes the 5th, but the gate's `to` is exclusive. */
export function dayAfter(day: string): string {
  const at = Date.parse(day);
  return Number.isNaN(at) ? '' : new Date(at + 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
}
