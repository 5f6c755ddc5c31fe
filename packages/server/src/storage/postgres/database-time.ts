/**
 * The database's clock, which all gates use. With their own clocks, a slow gate would accept a permit that the others
 * refuse. A fast one would expire intents that people still review.
 */
import { sql } from 'kysely';
import { prepare, type QueryRunner } from '../sql/prepared-query.ts';

const READ_EVERY_MS = 1000;

const readClock = prepare((db) =>
  db.selectNoFrom(sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`.as('ms')),
);

export interface TimeOptions {
  /** Milliseconds since any starting point. Never decreases. */
  monotonic?: () => number;
  everyMs?: number;
}

export class DatabaseTime {
  readonly #run: QueryRunner;
  readonly #monotonic: () => number;
  #there = 0;
  #here = 0;
  #timer: NodeJS.Timeout | undefined;

  private constructor(run: QueryRunner, monotonic: () => number) {
    this.#run = run;
    this.#monotonic = monotonic;
  }

  /**
   * Reads the clock now and every second. In between, time passes as on this machine.
   *
   * @throws any error of the database
   */
  static async open(run: QueryRunner, options: TimeOptions = {}): Promise<DatabaseTime> {
    const { monotonic = () => performance.now(), everyMs = READ_EVERY_MS } = options;
    const time = new DatabaseTime(run, monotonic);
    await time.read();
    let isReading = false;
    time.#timer = setInterval(() => {
      if (isReading) return;
      isReading = true;
      // A failed reading does not matter: without the database nothing is decided, and time still passes on this
      // machine's clock.
      time
        .read()
        .catch(() => {})
        .finally(() => {
          isReading = false;
        });
    }, everyMs).unref();
    return time;
  }

  async read(): Promise<void> {
    const clock = await this.#run.first(readClock, {});
    if (!clock) throw new Error('the database did not say what time it is');
    // The reading is dated to the arrival of its answer, a moment after the database read its clock. So this clock is
    // never ahead of the database's.
    this.#there = clock.ms;
    this.#here = this.#monotonic();
  }

  /** Milliseconds since the epoch. May go back a little from one reading to the next. */
  nowMs(): number {
    return this.#there + this.#monotonic() - this.#here;
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
