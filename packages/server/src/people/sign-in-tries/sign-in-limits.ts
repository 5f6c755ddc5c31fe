import type { Clock } from '../../gate/kernel/clock.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import { sayDuration } from '../../gate/kernel/say-duration.ts';
import type { Storage } from '../../gate/kernel/storage.ts';
import { networkOf } from './network-of.ts';
import type { SignInCountReader, SignInCountWriter } from './sign-in-count.ts';
import { type CountedTry, countTry, type Tried, takeBackTry, takeForGood, welcome } from './sign-in-tries.ts';

/**
 * Tries that one gate counts per second, far more than it can check passwords. This limits how fast made-up names reach
 * the database. Further tries are refused, as when too many people sign in at once.
 */
const PER_SECOND = 200;
/**
 * Failed tries of one address per minute, including refused ones. Beyond this limit the gate does not ask the database,
 * so that no single address uses up the limit per second that all share.
 */
const FRUITLESS_PER_ADDRESS = 120;
const MOST_ADDRESSES = 50_000;
const MINUTE_MS = 60_000;
/** The most waiting tries that are counted in one transaction. */
const AT_ONCE = 50;

/** A try is counted before its outcome is known, so that many concurrent tries are not free. Neither method rejects. */
export interface SignInTry {
  /** The person signed in: forgets earlier failures of this address and marks it as known. */
  succeeded(): Promise<void>;
  /** The try did not test the password, e.g. because the storage was unavailable. */
  withdrawn(): Promise<void>;
}

export interface SignInLimitsOptions {
  /** Called at most once an hour per account, when there are so many tries that strangers have to wait. */
  onBlocked?: (account: string) => void;
  onError?: (error: unknown) => void;
}

interface Waiting {
  tried: Tried;
  resolve(counted: CountedTry): void;
  reject(error: unknown): void;
}

export class SignInLimits {
  readonly #storage: Storage<SignInCountReader, SignInCountWriter>;
  readonly #clock: Clock;
  readonly #onBlocked: (account: string) => void;
  readonly #onError: (error: unknown) => void;
  #waiting: Waiting[] = [];
  #counting = false;
  #second = 0;
  #inSecond = 0;
  #minute = 0;
  #fruitless = new Map<string, number>();

  constructor(
    parts: { storage: Storage<SignInCountReader, SignInCountWriter>; clock: Clock },
    options: SignInLimitsOptions = {},
  ) {
    this.#storage = parts.storage;
    this.#clock = parts.clock;
    this.#onBlocked = options.onBlocked ?? (() => {});
    this.#onError = options.onError ?? (() => {});
  }

  /**
   * Counts a try as failed, in a transaction of its own. The caller reports any other outcome on the returned try.
   * @param account Normalised, whether or not it exists: unknown accounts are slowed down alike.
   * @param address Null: only the account counts, wherever the try comes from.
   * @throws GateError `rate_limited`, `service_unavailable`
   */
  async begin(account: string, address: string | null): Promise<SignInTry> {
    const tried = { account, address };
    const forget = this.#countFruitless(address);
    const counted = await this.#inLine(tried);
    if (counted.tell) this.#onBlocked(account);
    if (counted.kind === 'refused') throw tooMany(counted.waitMs);
    return {
      succeeded: () => {
        forget();
        return this.#write((tx) => takeForGood(tx, tried, counted, this.#clock.now()));
      },
      withdrawn: () => {
        forget();
        return this.#write((tx) => takeBackTry(tx, tried, counted, this.#clock.now()));
      },
    };
  }

  /**
   * Counts a try until the returned function is called. The count is only in memory: it stops an address from crowding
   * others out, but does not protect an account from guesses.
   */
  #countFruitless(address: string | null): () => void {
    if (address === null) return () => {};
    const nowMs = Date.parse(this.#clock.now());
    const minute = Math.floor(nowMs / MINUTE_MS);
    if (minute !== this.#minute) this.#fruitless = new Map();
    this.#minute = minute;
    const counts = this.#fruitless;
    const network = networkOf(address);
    const count = counts.get(network) ?? 0;
    if (count >= FRUITLESS_PER_ADDRESS) throw tooMany((minute + 1) * MINUTE_MS - nowMs);
    if (count > 0 || counts.size < MOST_ADDRESSES) counts.set(network, count + 1);
    return () => counts.set(network, Math.max(0, (counts.get(network) ?? 0) - 1));
  }

  /** The person signed in from this address: forgets earlier failures and marks the address as known. */
  welcome(account: string, address: string | null): Promise<void> {
    return this.#write((tx) => welcome(tx, { account, address }, this.#clock.now()));
  }

  /**
   * Tries that arrive while others are being counted share the next transaction. So guesses at one account delay only
   * each other.
   */
  #inLine(tried: Tried): Promise<CountedTry> {
    this.#assertNotTooFast();
    const { promise, resolve, reject } = Promise.withResolvers<CountedTry>();
    this.#waiting.push({ tried, resolve, reject });
    if (!this.#counting) void this.#countAll();
    return promise;
  }

  async #countAll(): Promise<void> {
    this.#counting = true;
    while (this.#waiting.length > 0) {
      const together = this.#waiting.splice(0, AT_ONCE);
      try {
        const counted = await this.#storage.transaction(async (tx) => {
          const outcomes: CountedTry[] = [];
          for (const { tried } of together) outcomes.push(await countTry(tx, tried, this.#clock.now()));
          return outcomes;
        });
        for (const [index, outcome] of counted.entries()) together[index]?.resolve(outcome);
      } catch (error) {
        for (const { reject } of together) reject(error);
      }
    }
    this.#counting = false;
  }

  #assertNotTooFast(): void {
    const second = Math.floor(performance.now() / 1000);
    if (second !== this.#second) this.#inSecond = 0;
    this.#second = second;
    this.#inSecond += 1;
    if (this.#inSecond <= PER_SECOND) return;
    throw new GateError(
      'service_unavailable',
      'Too many people are signing in at once. Try again in a moment.',
      {
        retry_after_seconds: 1,
      },
    );
  }

  /** If a write fails, somebody waits longer than necessary, but no operation fails. */
  async #write(work: (tx: SignInCountReader & SignInCountWriter) => Promise<void>): Promise<void> {
    try {
      await this.#storage.transaction(work);
    } catch (error) {
      this.#onError(error);
    }
  }
}

/**
 * Counts an action that must not happen often, in the action's own transaction. Only a rollback of that transaction
 * removes the count.
 * @throws GateError `rate_limited`
 */
export async function assertNotTooOften(
  tx: SignInCountReader & SignInCountWriter,
  name: string,
  clock: Clock,
): Promise<void> {
  const counted = await countTry(tx, { account: name, address: null }, clock.now());
  if (counted.kind === 'refused') throw tooMany(counted.waitMs);
}

function tooMany(waitMs: number): GateError<'rate_limited'> {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new GateError(
    'rate_limited',
    `Too many attempts. Wait ${sayDuration(seconds)}, or sign in with a passkey.`,
    {
      retry_after_seconds: seconds,
    },
  );
}
