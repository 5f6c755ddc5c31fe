import { assertScope } from '../access/assert-scope.ts';
import type { Caller } from '../access/caller.ts';
import { type Instant, millisecondsBetween } from '../kernel/instant.ts';
import { invalidFields } from '../kernel/invalid-fields.ts';
import { NewestKept } from '../kernel/newest-kept.ts';
import { unknownProject } from '../kernel/not-found.ts';
import { yieldToEventLoop } from '../kernel/yield-to-event-loop.ts';
import { countByDay } from './count-by-day.ts';
import { findExpiring } from './find-expiring.ts';
import type { Overview } from './overview.ts';
import type { OverviewDeps } from './overview-deps.ts';
import { SampleTally } from './tally-sample.ts';

const MOST_DAYS = 90;
const KEPT_MS = 60_000;
const MOST_KEPT = 200;
const DAY_MS = 86_400_000;

export interface OverviewOptions {
  /** The most intents that one overview reads one by one. */
  sampleSize?: number;
  /** The number of these intents per read. */
  stretchLength?: number;
}

/** Overviews of projects. Only one overview is computed at a time. Each is cached for a minute. */
export class Overviews {
  readonly #gate: OverviewDeps;
  readonly #sampleSize: number;
  readonly #stretchLength: number;
  readonly #kept = new NewestKept<string, { since: Instant; overview: Promise<Overview> }>(MOST_KEPT);
  #last: Promise<unknown> = Promise.resolve();

  constructor(gate: OverviewDeps, { sampleSize = 20_000, stretchLength = 100 }: OverviewOptions = {}) {
    this.#gate = gate;
    this.#sampleSize = sampleSize;
    this.#stretchLength = stretchLength;
  }

  /**
   * The last `days` days, including today. The figures may be a minute old.
   *
   * @throws GateError `project_not_found`, `forbidden`, `invalid_fields`
   */
  async read(caller: Caller, { projectId, days }: { projectId: string; days: number }): Promise<Overview> {
    assertScope(caller, 'audit:read', projectId);
    if (!(Number.isInteger(days) && days >= 1 && days <= MOST_DAYS))
      throw invalidFields({ path: '/days', message: `Must be an integer from 1 to ${MOST_DAYS}.` });
    if (!(await this.#gate.storage.read.findProject(projectId))) throw unknownProject();

    const key = `${projectId} ${days}`;
    const now = this.#gate.clock.now();
    const kept = this.#kept.get(key);
    if (kept && millisecondsBetween(kept.since, now) < KEPT_MS) return kept.overview;
    // Overviews are computed one after another, so that the cost of many simultaneous readers does not add up.
    const overview = this.#last.then(() => this.#compute(projectId, days));
    this.#last = overview.catch(() => this.#kept.drop(key));
    this.#kept.keep(key, { since: now, overview });
    return overview;
  }

  async #compute(projectId: string, dayCount: number): Promise<Overview> {
    const gate = this.#gate;
    const computedAt = gate.clock.now();
    const today = Date.parse(`${computedAt.slice(0, 10)}T00:00:00.000Z`);
    const from = new Date(today - (dayCount - 1) * DAY_MS).toISOString();
    const counted = await countByDay(gate, projectId, { from, dayCount });
    return {
      projectId,
      from,
      computedAt,
      pending: await gate.storage.read.countPastIntents(projectId, 'pending'),
      days: counted.days,
      ...(await this.#readNewest(projectId, counted)),
      expiring: await findExpiring(gate, projectId),
    };
  }

  async #readNewest(projectId: string, positions: { from: number; before: number }) {
    const tally = new SampleTally();
    let scanned = 0;
    let since: Instant | null = null;
    let before: number | null = positions.before;
    while (before !== null && scanned < this.#sampleSize) {
      const length = Math.min(this.#stretchLength, this.#sampleSize - scanned);
      const { intents, next } = await this.#gate.storage.read.listOverviewIntents(projectId, {
        from: positions.from,
        before,
        length,
      });
      for (const intent of intents) tally.add(intent);
      scanned += intents.length;
      since = intents.at(-1)?.createdAt ?? since;
      before = next;
      await yieldToEventLoop();
    }
    return { sample: { intents: scanned, since, complete: before === null }, ...tally.result() };
  }
}
