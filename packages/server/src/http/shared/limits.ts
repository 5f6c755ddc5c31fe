/** Which buckets a request falls into, and the headers that tell of them. */
import type { FastifyReply } from 'fastify';
import type { AuthenticatedKey } from '../../gate/access/authenticate-key.ts';
import { type Caller, isPerson } from '../../gate/access/caller.ts';
import { GateError } from '../../gate/errors.ts';
import { type BucketState, RateLimiter } from './rate-limit.ts';

/** Wrong keys an address may present in a minute before it is told to wait. */
const FAILED_KEYS_PER_MINUTE = 100;

export class Limits {
  readonly #limiter: RateLimiter;
  /** Apart, for outsiders make up addresses: what they fill must not crowd out a project. */
  readonly #addresses: RateLimiter;
  readonly #perMinute: number;

  /** @param perMinute `PERMITRY_RATE_LIMIT_PER_MINUTE`; 0: all buckets off, but those that a project or a key has of its own. */
  constructor(perMinute: number, nowMs: () => number) {
    this.#limiter = new RateLimiter(nowMs);
    this.#addresses = new RateLimiter(nowMs);
    this.#perMinute = perMinute;
  }

  /**
   * Counts an authenticated request and writes its headers.
   *
   * @param named The project in the path, if it has one.
   * @param core Whether it is one of the eight operations that share the project's first bucket.
   * @throws GateError `rate_limited`
   */
  countRequest(
    reply: FastifyReply,
    { caller, limits }: AuthenticatedKey,
    core: boolean,
    named: string | undefined,
  ): void {
    const keyed =
      limits.keyPerMinute === null
        ? null
        : this.#limiter.take(`key ${caller.credentialId}`, limits.keyPerMinute);
    // A runaway agent spends its own bucket only: what that refuses, the project's never hears of.
    if (keyed && !keyed.accepted) refuse(reply, keyed);
    const perMinute = limits.projectPerMinute ?? this.#perMinute;
    if (perMinute === 0) {
      if (keyed) writeHeaders(reply, keyed);
      return;
    }
    const bucket = `${core ? 'core' : 'other'} ${bucketOf(caller, named)}`;
    const shared = this.#limiter.take(bucket, perMinute);
    if (!shared.accepted) refuse(reply, shared);
    writeHeaders(reply, keyed && keyed.remaining < shared.remaining ? keyed : shared);
  }

  /** Headers of an answer to somebody unknown: where their address stands. */
  showAddress(reply: FastifyReply, address: string): void {
    if (this.#perMinute > 0) writeHeaders(reply, this.#addresses.look(address, FAILED_KEYS_PER_MINUTE));
  }

  /**
   * Counts a key that was presented and is not valid. Valid keys from the same address keep passing: behind one
   * proxy or network, a single stale key must not lock everybody out.
   *
   * @throws GateError `rate_limited`
   */
  countFailedKey(reply: FastifyReply, address: string): void {
    if (this.#perMinute === 0) return;
    const state = this.#addresses.take(address, FAILED_KEYS_PER_MINUTE);
    if (!state.accepted) refuse(reply, state);
    writeHeaders(reply, state);
  }
}

/** The project's bucket, whoever asks. Only a person of several projects, asking of none by name, has one of their own. */
function bucketOf(caller: Caller, named: string | undefined): string {
  if ('projectId' in caller) return caller.projectId;
  if (!isPerson(caller)) return caller.credentialId;
  const projectIds = caller.memberships.map(({ projectId }) => projectId);
  if (named !== undefined && projectIds.includes(named)) return named;
  return (projectIds.length === 1 ? projectIds[0] : undefined) ?? caller.user.id;
}

function refuse(reply: FastifyReply, state: BucketState): never {
  writeHeaders(reply, state);
  throw new GateError(
    'rate_limited',
    `More than ${state.limit} requests in this minute; try again in ${state.resetIn} s.`,
    { retry_after_seconds: state.resetIn },
  );
}

/** The interface's own headers, and those of draft-ietf-httpapi-ratelimit-headers. */
function writeHeaders(reply: FastifyReply, { limit, remaining, resetAt, resetIn }: BucketState): void {
  reply.header('x-ratelimit-limit', limit);
  reply.header('x-ratelimit-remaining', remaining);
  reply.header('x-ratelimit-reset', resetAt);
  reply.header('ratelimit', `"default";r=${remaining};t=${resetIn}`);
  reply.header('ratelimit-policy', `"default";q=${limit};w=60`);
}
