import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { Logger } from 'pino';
import type { GateParts } from '../../open-gate.ts';
import type { Metrics } from '../../ops/metrics/metrics.ts';
import type { SealedTails } from '../../streams/sealed-tails.ts';
import type { ErrorTable } from '../errors/error-table.ts';
import type { AnswerOnce } from '../once/answer-once.ts';

/** Where routes are declared. One TypeBox schema gives validation, types and OpenAPI. */
export type GateApp = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** The tools that routes receive. */
export interface RouteTools {
  gate: GateParts;
  /** For every POST that creates something, and for consume. */
  once: AnswerOnce;
  /** For work that continues after an answer has begun. */
  logger: Logger;
  /** What streams follow. */
  tails: SealedTails;
  /** Null: metrics are off. */
  metrics: Metrics | null;
}

/** One published view of the gate's resources. It translates, and has no rules of its own. */
export interface Surface {
  /** The prefix of every route that it declares. */
  prefix: '/api' | '/v1';
  errors: ErrorTable;
  /** Declares its routes. The app adds the shared steps, so that none can be forgotten. */
  routes(app: GateApp, tools: RouteTools): void;
}
