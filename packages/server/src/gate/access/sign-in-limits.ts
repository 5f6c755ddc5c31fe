/**
 * Slows the guessing of passwords and codes down (threat 16), in memory of bounded size: per address, per account, and
 * first of all per pair of both, so that a stranger who fails on purpose shuts out himself and not the person.
 */
import { GateError } from '../errors.ts';
import { NewestKept } from '../newest-kept.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const MOST_KEPT = 50_000;

/** Failures of one address on one account before it has to wait; each further one doubles the wait. */
const FREE_TRIES = 5;
const FIRST_WAIT_MS = 15_000;
const LONGEST_WAIT_MS = 15 * MINUTE_MS;
/** Failures of all addresses on one account in a minute, beyond which only addresses known to it may try. */
const PER_ACCOUNT = 20;
/** Failures of one address in a minute, whatever the account. */
const PER_ADDRESS = 30;

interface Streak {
  failures: number;
  /** Until then nothing more is tried. */
  until: number;
}

/** One try that was counted before its outcome is known, so that many at once are not free. */
export interface SignInTry {
  /** The person was let in: earlier failures of this address are forgotten, and it is known from now on. */
  succeeded(): void;
  /** It said nothing about the password, e.g. the storage was away. */
  withdrawn(): void;
}

export class SignInLimits {
  readonly #nowMs: () => number;
  readonly #onBlocked: (account: string) => void;
  readonly #streaks = new NewestKept<string, Streak>(MOST_KEPT);
  readonly #known = new NewestKept<string, true>(MOST_KEPT);
  /** When it was last told of an account. */
  readonly #told = new NewestKept<string, number>(MOST_KEPT);
  #minute = 0;
  #accounts = new Map<string, number>();
  #addresses = new Map<string, number>();

  /** @param onBlocked Told once an hour and account when it is tried so often that strangers have to wait. */
  constructor(nowMs: () => number, onBlocked: (account: string) => void = () => {}) {
    this.#nowMs = nowMs;
    this.#onBlocked = onBlocked;
  }

  /**
   * Counts a try as failed until it is told otherwise.
   *
   * @param account Normalised, whether or not anybody has it: what is unknown is slowed down alike.
   * @param address Null: whoever tries, only the account counts.
   * @throws GateError `rate_limited`
   */
  begin(account: string, address: string | null): SignInTry {
    this.#enterMinute();
    const network = networkOf(address);
    const pair = `${network} ${account}`;
    const now = this.#nowMs();
    const kept = this.#streaks.get(pair);
    const streak = kept && now - kept.until < HOUR_MS ? kept : undefined;
    if (streak && streak.until > now) throw tooMany(streak.until - now);
    const known = this.#known.get(pair) === true;
    const ofAddress = address === null ? 0 : countOf(this.#addresses, network);
    const ofAccount = countOf(this.#accounts, account);
    if (ofAddress >= PER_ADDRESS) throw tooMany(this.#restOfMinute(now));
    if (ofAccount >= PER_ACCOUNT && !known) {
      this.#tell(account, now);
      throw tooMany(this.#restOfMinute(now));
    }
    const minute = this.#minute;
    count(this.#addresses, network, 1);
    // Known addresses have a count of their own, so that strangers do not use it up, nor they the strangers'.
    if (!known) count(this.#accounts, account, 1);
    const failures = (streak?.failures ?? 0) + 1;
    this.#streaks.keep(pair, { failures, until: now + waitAfter(failures) });
    // Whoever gets as far as guessing codes has the password.
    if (address === null && failures === FREE_TRIES) this.#tell(account, now);
    const takeBack = () => {
      if (minute !== this.#minute) return;
      count(this.#addresses, network, -1);
      if (!known) count(this.#accounts, account, -1);
    };
    return {
      succeeded: () => {
        takeBack();
        this.welcome(account, address);
      },
      withdrawn: () => {
        takeBack();
        this.#takeBackFailure(pair, streak);
      },
    };
  }

  /** The person signed in from there: earlier failures are forgotten, and the address is known from now on. */
  welcome(account: string, address: string | null): void {
    const pair = `${networkOf(address)} ${account}`;
    this.#streaks.drop(pair);
    // Nowhere is no place that could be known: codes count together wherever they come from.
    if (address !== null) this.#known.keep(pair, true);
  }

  /** As it was before, or, where others failed beside it, one failure less and no more. */
  #takeBackFailure(pair: string, before: Streak | undefined): void {
    const streak = this.#streaks.get(pair);
    if (!streak) return;
    const failures = streak.failures - 1;
    if (failures > (before?.failures ?? 0)) this.#streaks.keep(pair, { ...streak, failures });
    else if (before) this.#streaks.keep(pair, before);
    else this.#streaks.drop(pair);
  }

  #tell(account: string, now: number): void {
    if (now - (this.#told.get(account) ?? 0) < HOUR_MS) return;
    this.#told.keep(account, now);
    this.#onBlocked(account);
  }

  #enterMinute(): void {
    const minute = Math.floor(this.#nowMs() / MINUTE_MS);
    if (minute === this.#minute) return;
    this.#minute = minute;
    this.#accounts = new Map();
    this.#addresses = new Map();
  }

  #restOfMinute(now: number): number {
    return (this.#minute + 1) * MINUTE_MS - now;
  }
}

function waitAfter(failures: number): number {
  if (failures < FREE_TRIES) return 0;
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - FREE_TRIES));
}

function count(counts: Map<string, number>, name: string, by: 1 | -1): void {
  counts.set(bucketOf(counts, name), Math.max(0, countOf(counts, name) + by));
}

function countOf(counts: ReadonlyMap<string, number>, name: string): number {
  return counts.get(bucketOf(counts, name)) ?? 0;
}

/** Beyond what is kept all others share one count, so that a flood of made-up names sets nobody free. */
function bucketOf(counts: ReadonlyMap<string, number>, name: string): string {
  return counts.size < MOST_KEPT || counts.has(name) ? name : 'others';
}

function tooMany(waitMs: number): GateError<'rate_limited'> {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new GateError('rate_limited', `Too many tries; wait ${seconds} s, or sign in with a passkey.`, {
    retry_after_seconds: seconds,
  });
}

/** Of IPv6 the /64, which is one customer's: whoever has one has 2^64 addresses. IPv4 as it is, also within IPv6. */
export function networkOf(address: string | null): string {
  if (address === null) return '-';
  const within = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address)?.[1];
  if (within !== undefined) return within;
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.toLowerCase().split('%', 1)[0]?.split('::') ?? [];
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups =
    tail === undefined ? front : [...front, ...Array(8 - front.length - back.length).fill('0'), ...back];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
