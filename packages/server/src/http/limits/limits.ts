/** Assigns requests to buckets, and writes the headers about them. */
import type { FastifyReply } from 'fastify';
import type { AuthenticatedKey } from '../../gate/access/authenticate-key.ts';
import { type Caller, isPerson } from '../../gate/access/caller.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import { sayDuration } from '../../gate/kernel/say-duration.ts';
import type { BudgetBook } from '../../gate/limits/budget-book.ts';
import { networkOf } from '../../people/sign-in-tries/network-of.ts';
import { type BucketState, RateLimiter, type RequestCounts } from './rate-limit.ts';
import { type SharedCounts, SharedRateLimiter } from './shared-rate-limiter.ts';

/** Wrong keys per minute that an address (for IPv6 a /64) may present before it must wait. */
const FAILED_KEYS_PER_MINUTE = 100;

/**
 * `core`: the eight operations that share a project's first bucket. `other`: all others, which share its second.
 * `brake`: operations that stop something. Each credential has a bucket of its own for them.
 */
export type RequestKind = 'core' | 'other' | 'brake';

export class Limits {
  readonly #requests: RequestCounts;
  /**
   * Separate, because outsiders can use any number of addresses. Their buckets must not crowd out a project's bucket.
   */
  readonly #addresses: RequestCounts;
  readonly #shared: readonly SharedRateLimiter[];
  readonly #perMinute: number;
  /** The number of refusals since the start, by whose limit it was. */
  readonly #refused = { key: 0, project: 0, address: 0 };

  /**
   * @param perMinute `PERMITRY_RATE_LIMIT_PER_MINUTE`. 0: no limits, except those of a project or a key.
   * @param budgets Where gates that share a database count together. Null: this gate is alone and counts in memory.
   */
  constructor(perMinute: number, nowMs: () => number, budgets: BudgetBook | null = null) {
    this.#perMinute = perMinute;
    if (budgets === null) {
      this.#shared = [];
      this.#requests = new RateLimiter(nowMs);
      this.#addresses = new RateLimiter(nowMs);
    } else {
      const requests = new SharedRateLimiter(budgets, nowMs, 'of');
      // Gates also share the count of failed keys. Each failure is counted on its own, so guessing at several
      // gates is not cheaper.
      const addresses = new SharedRateLimiter(budgets, nowMs, 'from');
      this.#shared = [requests, addresses];
      this.#requests = requests;
      this.#addresses = addresses;
    }
  }

  /**
   * Counts an authenticated request and writes its headers. Synchronous, unless this gate has used up its piece of a
   * shared bucket.
   *
   * @param named The project in the path, if it has one.
   * @param kind The kind of the request.
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
      // A runaway agent uses up only its own bucket. A request refused here does not count in the project's bucket.
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

  /** Headers of an answer to an unknown caller: the state of their address. */
  showAddress(reply: FastifyReply, address: string): void {
    if (this.#perMinute > 0)
      writeHeaders(reply, this.#addresses.peek(networkOf(address), FAILED_KEYS_PER_MINUTE));
  }

  /**
   * Counts an invalid key. Valid keys from the same address keep passing, because a single stale key must not lock out
   * everybody behind one proxy or network.
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

  /** How many requests were refused, by whose limit it was. */
  refusals(): { key: number; project: number; address: number } {
    return { ...this.#refused };
  }

  /** Counts of shared buckets. All are 0 when nothing is shared. */
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

  /** Returns unused budget. Call it before the storage is closed. */
  async close(): Promise<void> {
    await Promise.all(this.#shared.map((limiter) => limiter.close()));
  }

  #refuse(reply: FastifyReply, state: BucketState, bucket: keyof ReturnType<Limits['refusals']>): never {
    this.#refused[bucket] += 1;
    writeHeaders(reply, state);
    throw new GateError(
      'rate_limited',
      `More than ${state.limit} requests in this minute; try again in ${sayDuration(state.resetIn)}.`,
      { retry_after_seconds: state.resetIn },
    );
  }
}

/** Synchronous if the count was synchronous, so that a count in memory costs no turn of the event loop. */
function whenCounted<T>(
  state: BucketState | Promise<BucketState>,
  then: (state: BucketState) => T,
): T | Promise<Awaited<T>> {
  return state instanceof Promise ? (state.then(then) as Promise<Awaited<T>>) : then(state);
}

/** The project's bucket, for any caller. Only a person with several projects who names none has a separate bucket. */
function bucketOf(caller: Caller, named: string | undefined): string {
  if ('projectId' in caller) return caller.projectId;
  if (!isPerson(caller)) return caller.credentialId;
  const projectIds = caller.memberships.map(({ projectId }) => projectId);
  if (named !== undefined && projectIds.includes(named)) return named;
  return (projectIds.length === 1 ? projectIds[0] : undefined) ?? caller.user.id;
}

/** The project's own limit, so that its bucket has the same size for every caller. */
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
