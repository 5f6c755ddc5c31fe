/** Idempotency (contract §1): a request repeated under its key is carried out once and answered the same. */
import type { JsonObject } from '@permitry/protocol';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../gate/access/caller.ts';
import { ERASED_ANSWER_STATUS } from '../../gate/erasure/erasure.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import { type IdempotencyRecord, UNANSWERED_STATUS } from '../../gate/kernel/idempotency.ts';
import { addSeconds, type Instant } from '../../gate/kernel/instant.ts';
import type { GateParts } from '../../open-gate.ts';
import { getCaller } from '../admission/request-context.ts';
import { hashRawBody } from '../body/strict-json-body.ts';
import { isRememberable, toErrorAnswer } from '../errors/error-answer.ts';
import { type ErrorTables, errorTableFor } from '../errors/error-table.ts';
import { DeferredCommitStorage, type LastWords, TransactionLostError } from './deferred-commit-storage.ts';
import { givesSecret } from './hold-no-secret.ts';
import { readIdempotencyKey } from './idempotency-key.ts';
import { erased, inProgress, lost, mismatch, unanswered, unkept } from './idempotency-refusals.ts';

const KEPT_SECONDS = 24 * 60 * 60;
/** Each time somebody else's request took the transaction along; one of the next is its own. */
const MOST_ATTEMPTS = 5;

export interface Answer<B extends object = JsonObject> {
  status: number;
  body: B;
}

/** What of a reply is set here, whatever the route's own types are. */
interface StatusAndHeaders {
  code(status: number): unknown;
  header(name: string, value: string): unknown;
}

/** What a route does, and how its answer is kept. */
export interface OnceOnly<B extends object = JsonObject> {
  /** The operation and its translation. The gate is handed in: its transaction also holds the remembered answer. */
  act(gate: GateParts, caller: Caller): Promise<Answer<B>>;
  /** The body without secrets and permit tokens, as it is kept. Left out: the body as it is. */
  strip?(body: JsonObject): JsonObject;
  /** The kept body with its secrets read again from where they live. Left out: the body as it is kept. */
  restore?(body: JsonObject, gate: GateParts, caller: Caller): Promise<JsonObject>;
  /** What must hold for a repetition too, e.g. that neither agent nor project was stopped meanwhile. Throws. */
  beforeReplay?(gate: GateParts, caller: Caller): Promise<void>;
}

/** Another request under the same key was answered first, by another process; this one's change is undone. */
class AnsweredElsewhereError extends Error {}

/** Names one remembered request. */
interface RequestIdentity {
  scope: string;
  key: string;
  bodyHash: string;
}

export class AnswerOnce {
  readonly #gate: GateParts;
  readonly #tables: ErrorTables;
  /** Body hashes of the requests that run now, by scope and key. */
  readonly #running = new Map<string, string>();

  constructor(gate: GateParts, tables: ErrorTables) {
    this.#gate = gate;
    this.#tables = tables;
  }

  /**
   * Carries the request out, or answers as it was answered before under the same `Idempotency-Key`. Without that
   * header it just carries it out. Sets the status and answers the body, for the route to return.
   *
   * @throws GateError of the operation; `idempotency_in_progress`, `idempotency_mismatch`, `invalid_fields`
   */
  async answer<B extends object>(
    request: FastifyRequest,
    reply: StatusAndHeaders,
    route: OnceOnly<B>,
  ): Promise<B> {
    const key = readIdempotencyKey(request);
    const caller = getCaller(request);
    if (key === undefined) return setStatus(reply, await route.act(this.#gate, caller));
    const path = request.url.split('?', 1)[0];
    const identity = {
      scope: `${caller.credentialId} ${request.method} ${path}`,
      key,
      bodyHash: hashRawBody(request),
    };
    return this.#oneAtATime(identity, () => this.#answerUnderKey(identity, request, reply, route));
  }

  async #oneAtATime<T>({ scope, key, bodyHash }: RequestIdentity, run: () => Promise<T>): Promise<T> {
    const name = `${scope} ${key}`;
    const running = this.#running.get(name);
    if (running !== undefined) throw running === bodyHash ? inProgress() : mismatch();
    this.#running.set(name, bodyHash);
    try {
      return await run();
    } finally {
      this.#running.delete(name);
    }
  }

  async #answerUnderKey<B extends object>(
    identity: RequestIdentity,
    request: FastifyRequest,
    reply: StatusAndHeaders,
    route: OnceOnly<B>,
  ): Promise<B> {
    for (let attempt = 1; ; attempt += 1) {
      const known = await this.#find(identity);
      if (known) return this.#replay(known, identity, request, reply, route);
      try {
        return await this.#carryOut(identity, request, reply, route);
      } catch (error) {
        if (!(error instanceof TransactionLostError)) throw error;
        if (attempt === MOST_ATTEMPTS) throw lost(error);
      }
    }
  }

  async #carryOut<B extends object>(
    identity: RequestIdentity,
    request: FastifyRequest,
    reply: StatusAndHeaders,
    route: OnceOnly<B>,
  ): Promise<B> {
    const storage = new DeferredCommitStorage(this.#gate.storage, this.#markUnanswered(identity));
    let answer: Answer<B> | undefined;
    try {
      answer = await route.act({ ...this.#gate, storage }, getCaller(request));
      const body = answer.body as JsonObject;
      await storage.finish(
        this.#remember(identity, storage, { status: answer.status, body: route.strip?.(body) ?? body }),
      );
      return setStatus(reply, answer);
    } catch (thrown) {
      const isAnswered = answer !== undefined || isRefusal(thrown);
      const error: unknown = isAnswered
        ? thrown
        : await storage.undo().then(
            () => thrown,
            (lost) => lost,
          );
      // A change of it stands, and it did not refuse: the key stays taken, or the change would be made once more.
      if (storage.isMarked && (answer || !isRefusal(error))) throw unkept(error);
      const refusal = await this.#refuseOnce(storage, identity, error, request);
      if (refusal instanceof AnsweredElsewhereError) {
        const first = await this.#find(identity);
        if (first) return this.#replay(first, identity, request, reply, route);
      }
      throw error;
    }
  }

  /**
   * Remembers the refusal, where it is one. Another gate may have been quicker with this very request: then what
   * refused it here is only that it was carried out there, and its answer is the one to give.
   */
  async #refuseOnce(
    storage: DeferredCommitStorage,
    identity: RequestIdentity,
    error: unknown,
    request: FastifyRequest,
  ): Promise<unknown> {
    if (error instanceof AnsweredElsewhereError) return error;
    try {
      await storage.finish(this.#rememberRefusal(identity, storage, error, request));
      return error;
    } catch (clash) {
      if (clash instanceof AnsweredElsewhereError) return clash;
      throw clash;
    }
  }

  #find({ scope, key }: RequestIdentity): Promise<IdempotencyRecord | undefined> {
    return this.#gate.storage.read.findIdempotencyRecord(scope, key, this.#gate.clock.now());
  }

  async #replay<B extends object>(
    record: IdempotencyRecord,
    { bodyHash }: RequestIdentity,
    request: FastifyRequest,
    reply: StatusAndHeaders,
    { beforeReplay, restore }: OnceOnly<B>,
  ): Promise<B> {
    if (record.bodyHash !== bodyHash) throw mismatch();
    if (record.status === ERASED_ANSWER_STATUS) throw erased();
    if (record.status === UNANSWERED_STATUS) throw unanswered();
    const caller = getCaller(request);
    await this.#gate.losses.assertNone();
    await beforeReplay?.(this.#gate, caller);
    const complete = record.status < 400 && restore;
    const body = complete ? await complete(record.body, this.#gate, caller) : record.body;
    reply.header('idempotency-replayed', 'true');
    // What was kept is what the route answered then.
    return setStatus(reply, { status: record.status, body: body as B });
  }

  #remember(identity: RequestIdentity, storage: DeferredCommitStorage, { status, body }: Answer): LastWords {
    // Refuses rather than keeps: a route that forgets to strip must fail in its first test.
    if (givesSecret(body)) throw new Error('an answer to be remembered holds a secret');
    const { record, now } = this.#recordOf(identity, { status, body });
    return async (tx) => {
      const kept = storage.isMarked
        ? await tx.completeIdempotencyRecord(record)
        : await tx.insertIdempotencyRecord(record, now);
      if (!kept) throw new AnsweredElsewhereError();
    };
  }

  /**
   * Takes the key with a change that is committed before its answer is known: nobody else shall make it a second time,
   * at this gate or another, whatever becomes of this one.
   */
  #markUnanswered(identity: RequestIdentity): LastWords {
    return async (tx) => {
      const { record, now } = this.#recordOf(identity, { status: UNANSWERED_STATUS, body: {} });
      if (!(await tx.insertIdempotencyRecord(record, now))) throw new AnsweredElsewhereError();
    };
  }

  #recordOf(identity: RequestIdentity, answer: Answer): { record: IdempotencyRecord; now: Instant } {
    const now = this.#gate.clock.now();
    return { record: { ...identity, ...answer, expiresAt: addSeconds(now, KEPT_SECONDS) }, now };
  }

  /** A refusal that would come again is remembered too; one of the moment is not, so that a repetition may succeed. */
  #rememberRefusal(
    identity: RequestIdentity,
    storage: DeferredCommitStorage,
    error: unknown,
    request: FastifyRequest,
  ): LastWords | null {
    if (!(error instanceof GateError) || !isRememberable(error)) {
      return storage.isMarked ? (tx) => tx.deleteUnanswered(identity.scope, identity.key) : null;
    }
    const table = errorTableFor(this.#tables, request.url);
    const { status, body } = toErrorAnswer(error, table, request.id);
    return this.#remember(identity, storage, { status, body });
  }
}

/** What the operation itself said no to; not that it could not go on. */
function isRefusal(error: unknown): boolean {
  return error instanceof GateError && error.code !== 'service_unavailable';
}

function setStatus<B extends object>(reply: StatusAndHeaders, { status, body }: Answer<B>): B {
  reply.code(status);
  return body;
}
