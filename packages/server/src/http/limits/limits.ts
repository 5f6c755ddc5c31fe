/** Which buckets a request falls into, and the headers that tell of them. */
import type { FastifyReply } from 'fastify';
import type { AuthenticatedKey } from '../../gate/access/authenticate-key.ts';
import { type Caller, isPerson } from '../../gate/access/caller.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import type { BudgetBook } from '../../gate/limits/budget-book.ts';
import { networkOf } from '../../people/sign-in-tries/network-of.ts';
import { type BucketState, RateLimiter, type RequestCounts } from './rate-limit.ts';
import { type SharedCounts, SharedRateLimiter } from './shared-rate-limiter.ts';

/** Wrong keys an address, of IPv6 a /64, may present in a minute before it is told to wait. */
const FAILED_KEYS_PER_MINUTE = 100;

/**
 * The eight operations that share a project's first bucket; the others, which share its second; and those that stop
 * something, of which each credential has a bucket.
 */
export type RequestKind = 'core' | 'other' | 'brake';

export class Limits {
  readonly #requests: RequestCounts;
  /** Apart, for outsiders make up addresses: what they fill must not crowd out a project. */
  readonly #addresses: RequestCounts;
  readonly #shared: readonly SharedRateLimiter[];
  readonly #perMinute: number;
  /** By whose limit it was, since the start. */
  readonly #refused = { key: 0, project: 0, address: 0 };

  /**
   * @param perMinute `PERMITRY_RATE_LIMIT_PER_MINUTE`; 0: all buckets off, but those that a project or a key has of its own.
   * @param budgets Where gates that share a database count together; null: this one is alone, and counts in memory.
   */
  constructor(perMinute: number, nowMs: () => number, budgets: BudgetBook | null = null) {
    this.#perMinute = perMinute;
    if (budgets === null) {
      this.#shared = [];
      this.#requests = new RateLimiter(nowMs);
      this.#addresses = new RateLimiter(nowMs);
    } else {
      const requests = new SharedRateLimiter(budgets, nowMs, 'of');
      // Failed keys as well, one by one: guessing must not get cheaper by every gate that is asked.
      const addresses = new SharedRateLimiter(budgets, nowMs, 'from');
      this.#shared = [requests, addresses];
      this.#requests = requests;
      this.#addresses = addresses;
    }
  }

  /**
   * Counts an authenticated request and writes its headers: at once, but where what this gate has in hand of a shared
   * bucket is used up.
   *
   * @param named The project in the path, if it has one.
   * @param kind What the request falls under.
   * @throws GateError `rate_limited`, `service_unavailable`
   */
  countRequest(
    reply: FastifyReply,
    { caller, limits }: AuthenticatedKey,
    kind: RequestKind,
    named: string | undefined,
  ): void | Promise<void> {
    const bucket = bucketOf(caller, named);
    const perMinute = ownLimitOf(caller, bucket) ?? limits.projectPerMinute ?? this.#perMinute;
    const countShared = (keyed: BucketState | null): void | Promise<void> => {
      // A runaway agent spends its own bucket only: what that refuses, the project's never hears of.
      if (keyed && !keyed.accepted) this.#refuse(reply, keyed, 'key');
      if (perMinute === 0) {
        if (keyed) writeHeaders(reply, keyed);
        return;
      }
      const key = `${kind} ${kind === 'brake' ? caller.credentialId : bucket}`;
      return whenCounted(this.#requests.take(key, perMinute), (shared) => {
        if (!shared.accepted) this.#refuse(reply, shared, 'project');
        writeHeaders(reply, keyed && keyed.remaining < shared.remaining ? keyed : shared);
      });
    };
    if (limits.keyPerMinute === null) return countShared(null);
    return whenCounted(this.#requests.take(`key ${caller.credentialId}`, limits.keyPerMinute), countShared);
  }

  /** Headers of an answer to somebody unknown: where their address stands. */
  showAddress(reply: FastifyReply, address: string): void {
    if (this.#perMinute > 0)
      writeHeaders(reply, this.#addresses.peek(networkOf(address), FAILED_KEYS_PER_MINUTE));
  }

  /**
   * Counts a key that was presented and is not valid. Valid keys from the same address keep passing: behind one
   * proxy or network, a single stale key must not lock everybody out.
   *
   * @throws GateError `rate_limited`, `service_unavailable`
   */
  countFailedKey(reply: FastifyReply, address: string): void | Promise<void> {
    if (this.#perMinute === 0) return;
    return whenCounted(this.#addresses.take(networkOf(address), FAILED_KEYS_PER_MINUTE), (state) => {
      if (!state.accepted) this.#refuse(reply, state, 'address');
      writeHeaders(reply, state);
    });
  }

  /** Requests that were one too many. */
  refusals(): { key: number; project: number; address: number } {
    return { ...this.#refused };
  }

  /** Of what is shared with other gates; all 0 where nothing is. */
  counts(): SharedCounts {
    const sum = (of: keyof SharedCounts): number =>
      this.#shared.reduce((total, { counts }) => total + counts[of], 0);
    return {
      asks: sum('asks'),
      failedAsks: sum('failedAsks'),
      granted: sum('granted'),
      givenBack: sum('givenBack'),
    };
  }

  /** Gives back what was taken and not used. Before the storage is closed. */
  async close(): Promise<void> {
    await Promise.all(this.#shared.map((limiter) => limiter.close()));
  }

  #refuse(reply: FastifyReply, state: BucketState, bucket: keyof ReturnType<Limits['refusals']>): never {
    this.#refused[bucket] += 1;
    writeHeaders(reply, state);
    throw new GateError(
      'rate_limited',
      `More than ${state.limit} requests in this minute; try again in ${state.resetIn} s.`,
      { retry_after_seconds: state.resetIn },
    );
  }
}

/** At once where it was counted at once: nobody waits a turn for a count in memory. */
function whenCounted<T>(
  state: BucketState | Promise<BucketState>,
  then: (state: BucketState) => T,
): T | Promise<Awaited<T>> {
  return state instanceof Promise ? (state.then(then) as Promise<Awaited<T>>) : then(state);
}

/** The project's bucket, whoever asks. Only a person of several projects, asking of none by name, has one of their own. */
function bucketOf(caller: Caller, named: string | undefined): string {
  if ('projectId' in caller) return caller.projectId;
  if (!isPerson(caller)) return caller.credentialId;
  const projectIds = caller.memberships.map(({ projectId }) => projectId);
  if (named !== undefined && projectIds.includes(named)) return named;
  return (projectIds.length === 1 ? projectIds[0] : undefined) ?? caller.user.id;
}

/** A bucket has one size, whoever draws from it. */
function ownLimitOf(caller: Caller, bucket: string): number | null | undefined {
  if (!isPerson(caller)) return undefined;
  return caller.memberships.find(({ projectId }) => projectId === bucket)?.projectPerMinute;
}

/** The interface's own headers, and those of draft-ietf-httpapi-ratelimit-headers. */
function writeHeaders(reply: FastifyReply, { limit, remaining, resetAt, resetIn }: BucketState): void {
  reply.header('x-ratelimit-limit', limit);
  reply.header('x-ratelimit-remaining', remaining);
  reply.header('x-ratelimit-reset', resetAt);
  reply.header('ratelimit', `"default";r=${remaining};t=${resetIn}`);
  reply.header('ratelimit-policy', `"default";q=${limit};w=60`);
}
