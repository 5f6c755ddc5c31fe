/** Idempotency (contract §1): a request repeated under its key is carried out once and gets the same answer. */
import type { JsonObject } from '@permitry/protocol';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../gate/access/caller.ts';
import { ERASED_ANSWER_STATUS } from '../../gate/erasure/erasure.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import type { IdempotencyRecord, IdempotencyWriter, Remember } from '../../gate/kernel/idempotency.ts';
import { addSeconds } from '../../gate/kernel/instant.ts';
import type { GateParts } from '../../open-gate.ts';
import { getCaller } from '../admission/request-context.ts';
import { hashRawBody } from '../body/strict-json-body.ts';
import { isRememberable, toErrorAnswer } from '../errors/error-answer.ts';
import { type ErrorTables, errorTableFor } from '../errors/error-table.ts';
import { givesSecret } from './hold-no-secret.ts';
import { readIdempotencyKey } from './idempotency-key.ts';
import { erased, inProgress, mismatch } from './idempotency-refusals.ts';

const KEPT_SECONDS = 24 * 60 * 60;

export interface Answer<B extends object = JsonObject> {
  status: number;
  body: B;
}

/** The parts of a reply that are set here, whatever the route's own types. */
interface StatusAndHeaders {
  code(status: number): unknown;
  header(name: string, value: string): unknown;
}

/** How a route acts, and how its answer is stored. `T` is the result of its operation. */
export interface OnceOnly<T, B extends object = JsonObject> {
  /**
   * The operation. With a key, it passes its result to `remember` in the transaction of its change. It must return the
   * same object, which is checked afterwards. (`Remember<T>` here would keep the compiler from inferring `T`.)
   */
  act(caller: Caller, remember: Remember<unknown> | undefined): Promise<T>;
  /** The answer for the result of `act`. May throw a refusal; the change remains. */
  toAnswer(result: T): Answer<B>;
  /** The body to store, without secrets and permit tokens. Default: the body unchanged. */
  strip?(body: JsonObject): JsonObject;
  /** The stored body with its secrets read again from their own place. Default: the stored body unchanged. */
  restore?(body: JsonObject, caller: Caller): Promise<JsonObject>;
  /** Throws if the answer must not be repeated, e.g. because the agent or the project was stopped meanwhile. */
  beforeReplay?(caller: Caller): Promise<void>;
}

/** Another process answered a request with the same key first. The change of this request is undone. */
class AnsweredElsewhereError extends Error {}

/** Identifies one stored request. */
interface RequestIdentity {
  scope: string;
  key: string;
  bodyHash: string;
}

export class AnswerOnce {
  readonly #gate: GateParts;
  readonly #tables: ErrorTables;
  /** Body hashes of the requests in progress, by scope and key. */
  readonly #running = new Map<string, string>();

  constructor(gate: GateParts, tables: ErrorTables) {
    this.#gate = gate;
    this.#tables = tables;
  }

  /**
   * Carries out the request, or repeats the earlier answer under the same `Idempotency-Key`. Without that header,
   * always carries out the request. Sets the status and returns the body, which the route returns.
   *
   * @throws GateError of the operation; `idempotency_in_progress`, `idempotency_mismatch`, `invalid_fields`
   */
  async answer<T, B extends object>(
    request: FastifyRequest,
    reply: StatusAndHeaders,
    route: OnceOnly<T, B>,
  ): Promise<B> {
    const key = readIdempotencyKey(request);
    const caller = getCaller(request);
    if (key === undefined) {
      const result = await route.act(caller, undefined);
      return setStatus(reply, route.toAnswer(result));
    }
    const path = request.url.split('?', 1)[0];
    const identity = {
      scope: `${caller.credentialId} ${request.method} ${path}`,
      key,
      bodyHash: hashRawBody(request),
    };
    return this.#oneAtATime(identity, async () => {
      const known = await this.#find(identity);
      if (known) return this.#replay(known, identity, request, reply, route);
      return this.#carryOut(identity, request, reply, route);
    });
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

  async #carryOut<T, B extends object>(
    identity: RequestIdentity,
    request: FastifyRequest,
    reply: StatusAndHeaders,
    route: OnceOnly<T, B>,
  ): Promise<B> {
    let remembered = undefined as { result: unknown; outcome: Outcome<B> } | undefined;
    const remember: Remember<unknown> = async (tx, result) => {
      const outcome = answerOrRefusal(() => route.toAnswer(result as T));
      await this.#write(tx, identity, this.#toKeep(outcome, request, route));
      remembered = { result, outcome };
    };
    try {
      const result = await route.act(getCaller(request), remember);
      // The change is committed, and a repeated request would make it again. A route that does not remember its answer
      // must fail in its first test.
      if (!remembered || remembered.result !== result)
        throw new Error('an operation under an Idempotency-Key did not remember what it answers');
    } catch (error) {
      const first = await this.#rememberRefusal(error, identity, request);
      if (first) return this.#replay(first, identity, request, reply, route);
      throw error;
    }
    if ('refusal' in remembered.outcome) throw remembered.outcome.refusal;
    return setStatus(reply, remembered.outcome.answer);
  }

  /**
   * Stores a refusal that would recur, in a transaction of its own. If another gate carried out the same request first,
   * that is the only reason for the refusal here. Then returns the other gate's record.
   */
  async #rememberRefusal(
    error: unknown,
    identity: RequestIdentity,
    request: FastifyRequest,
  ): Promise<IdempotencyRecord | undefined> {
    if (error instanceof AnsweredElsewhereError) return this.#find(identity);
    const refusal = this.#refusalToKeep(error, request);
    if (!refusal) return undefined;
    try {
      await this.#gate.storage.transaction((tx) => this.#write(tx, identity, refusal), { guarded: true });
      return undefined;
    } catch (clash) {
      if (clash instanceof AnsweredElsewhereError) return this.#find(identity);
      throw clash;
    }
  }

  #find({ scope, key }: RequestIdentity): Promise<IdempotencyRecord | undefined> {
    return this.#gate.storage.read.findIdempotencyRecord(scope, key, this.#gate.clock.now());
  }

  async #replay<T, B extends object>(
    record: IdempotencyRecord,
    { bodyHash }: RequestIdentity,
    request: FastifyRequest,
    reply: StatusAndHeaders,
    { beforeReplay, restore }: OnceOnly<T, B>,
  ): Promise<B> {
    if (record.bodyHash !== bodyHash) throw mismatch();
    if (record.status === ERASED_ANSWER_STATUS) throw erased();
    const caller = getCaller(request);
    await this.#gate.losses.assertNone();
    await beforeReplay?.(caller);
    const complete = record.status < 400 && restore;
    const body = complete ? await complete(record.body, caller) : record.body;
    reply.header('idempotency-replayed', 'true');
    // The cast is correct, because this route made the stored body.
    return setStatus(reply, { status: record.status, body: body as B });
  }

  async #write(tx: IdempotencyWriter, identity: RequestIdentity, answer: Answer | null): Promise<void> {
    if (!answer) return;
    // Throws instead of storing a secret: a route that forgets to strip must fail in its first test.
    if (givesSecret(answer.body)) throw new Error('an answer to be remembered holds a secret');
    const now = this.#gate.clock.now();
    const record = { ...identity, ...answer, expiresAt: addSeconds(now, KEPT_SECONDS) };
    if (!(await tx.insertIdempotencyRecord(record, now))) throw new AnsweredElsewhereError();
  }

  #toKeep<T, B extends object>(
    outcome: Outcome<B>,
    request: FastifyRequest,
    { strip }: OnceOnly<T, B>,
  ): Answer | null {
    if ('refusal' in outcome) return this.#refusalToKeep(outcome.refusal, request);
    const { status, body } = outcome.answer;
    return { status, body: strip?.(body as JsonObject) ?? (body as JsonObject) };
  }

  /** Stores a refusal that would recur. A temporary one is not stored, so that a repetition may succeed. */
  #refusalToKeep(error: unknown, request: FastifyRequest): Answer | null {
    if (!(error instanceof GateError) || !isRememberable(error)) return null;
    const { status, body } = toErrorAnswer(error, errorTableFor(this.#tables, request.url), request.id);
    return { status, body };
  }
}

/** The result of a request. */
type Outcome<B extends object> = { answer: Answer<B> } | { refusal: GateError };

function answerOrRefusal<B extends object>(toAnswer: () => Answer<B>): Outcome<B> {
  try {
    return { answer: toAnswer() };
  } catch (error) {
    if (error instanceof GateError) return { refusal: error };
    throw error;
  }
}

function setStatus<B extends object>(reply: StatusAndHeaders, { status, body }: Answer<B>): B {
  reply.code(status);
  return body;
}
