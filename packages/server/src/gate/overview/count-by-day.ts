import { INTENT_STATUSES } from '@permitry/protocol';
import type { Instant } from '../kernel/instant.ts';
import { yieldToEventLoop } from '../kernel/yield-to-event-loop.ts';
import type { DayCounts } from './overview.ts';
import type { OverviewDeps } from './overview-deps.ts';

/** So few intents that counting them along an index does not block others. */
const COUNTED_AT_ONCE = 100_000;
const DAY_MS = 86_400_000;

export interface CountedDays {
  days: readonly DayCounts[];
  /** Positions of the period in the order of intents, for the rest of the overview. */
  from: number;
  before: number;
}

/** Exact counts by day and status. Ids sort by time, so a day is a range of ids. */
export async function countByDay(
  { storage: { read }, ids }: Pick<OverviewDeps, 'storage' | 'ids'>,
  projectId: string,
  { from, dayCount }: { from: Instant; dayCount: number },
): Promise<CountedDays> {
  const starts = Array.from({ length: dayCount + 1 }, (_, n) =>
    new Date(Date.parse(from) + n * DAY_MS).toISOString(),
  );
  const positions: number[] = [];
  for (const start of starts) positions.push(await read.findIntentPosition(ids.first('int', start)));

  const days: DayCounts[] = [];
  for (const [n, start] of starts.slice(0, -1).entries()) {
    const counts = { day: start.slice(0, 10), pending: 0, approved: 0, denied: 0, expired: 0 };
    const [dayFrom = 0, dayBefore = 0] = positions.slice(n);
    for (let position = dayFrom; position < dayBefore; position += COUNTED_AT_ONCE) {
      const before = Math.min(dayBefore, position + COUNTED_AT_ONCE);
      for (const status of INTENT_STATUSES)
        counts[status] += await read.countIntents(projectId, status, position, before);
      await yieldToEventLoop();
    }
    days.push(counts);
  }
  return { days, from: positions[0] ?? 0, before: positions.at(-1) ?? 0 };
}
