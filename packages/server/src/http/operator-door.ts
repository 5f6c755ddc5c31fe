/**
 * Owns the operator's door: the management paths, answered within this process to the person who opened the gate's own
 * storage. Nothing listens on a port.
 */
import Fastify from 'fastify';
import type { OperatorCaller } from '../gate/access/caller.ts';
import { Refusals } from '../gate/intents/refusals.ts';
import { millisecondsOf } from '../gate/kernel/clock.ts';
import { GateError } from '../gate/kernel/errors.ts';
import type { GateParts } from '../open-gate.ts';
import { SealedTails } from '../streams/sealed-tails.ts';
import { NO_SUCH_PATH, toGateError } from './errors/framework-errors.ts';
import { handleErrors } from './errors/handle-errors.ts';
import { Limits } from './limits/limits.ts';
import { createLogger } from './log/logger.ts';
import { AnswerOnce } from './once/answer-once.ts';
import type { GateApp } from './routes/surface.ts';
import { optionsOfRoutes, takeSharedSteps } from './shared-steps.ts';
import { surfaceB } from './surface-b/surface-b.ts';

/** Undefined members are omitted. */
export interface OperatorRequest {
  query?: Readonly<Record<string, string | number | undefined>> | undefined;
  body?: object | undefined;
  headers?: Readonly<Record<string, string | undefined>>;
}

export interface OperatorDoor {
  /**
   * The JSON of a successful answer. Undefined if the answer has no body.
   *
   * @throws the GateError of a refusal, or the error of a failure
   */
  request<T>(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    asked?: OperatorRequest,
  ): Promise<T>;
  close(): Promise<void>;
}

/**
 * @param operator The caller of every request, whatever its headers say.
 * @example await (await openOperatorDoor(gate, OPERATOR)).request('GET', `/v1/projects/${id}/agents`);
 */
export async function openOperatorDoor(gate: GateParts, operator: OperatorCaller): Promise<OperatorDoor> {
  const logger = createLogger('silent');
  const limits = new Limits(0, millisecondsOf(gate.clock));
  const tables = { a: surfaceB.errors, b: surfaceB.errors };
  const failures = new Map<unknown, unknown>();
  const app = Fastify(optionsOfRoutes(gate));
  takeSharedSteps(app, { gate, limits, usage: { note: () => {} }, operator });
  handleErrors(app, { tables, limits, logger, refusals: new Refusals(gate) });
  app.addHook('onError', async ({ id }, _reply, error) => {
    failures.set(id, error);
  });
  const tails = new SealedTails(gate, (error) => logger.error({ err: error }, 'the log could not be read'));
  app.addHook('onClose', () => tails.close());
  const tools = { gate, once: new AnswerOnce(gate, tables), logger, tails, metrics: null };
  await app.register(async (scope) => surfaceB.routes(scope as GateApp, tools), { prefix: surfaceB.prefix });
  await app.ready();

  async function inject(method: string, path: string, { query, body, headers }: OperatorRequest) {
    const answer = await app.inject({
      method: method as 'GET',
      url: path,
      headers: JSON.parse(JSON.stringify(headers ?? {})),
      query: JSON.parse(JSON.stringify(query ?? {})),
      ...(body === undefined ? {} : { payload: body }),
    });
    if (answer.statusCode >= 400) {
      // A path that matches no route, e.g. because an id is too long, leaves no failure.
      const noPath = new GateError('not_found', NO_SUCH_PATH, {});
      throw toFailure(failures.get(answer.headers['x-request-id']) ?? noPath);
    }
    return answer.body;
  }
  return {
    async request<T>(method: string, path: string, asked: OperatorRequest = {}): Promise<T> {
      const body = await inject(method, path, asked);
      return (body === '' ? undefined : JSON.parse(body)) as T;
    },
    close: () => app.close(),
  };
}

/** The operator learns the cause of an unexpected error. A remote client only learns that it happened. */
function toFailure(error: unknown): unknown {
  const told = toGateError(error);
  return told.code === 'internal_error' ? error : told;
}
