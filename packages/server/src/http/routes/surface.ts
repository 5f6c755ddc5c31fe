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

/** Where routes are declared; one TypeBox schema gives validation, types and OpenAPI. */
export type GateApp = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** What routes are handed. */
export interface RouteTools {
  gate: GateParts;
  /** For every POST that creates, and for consume. */
  once: AnswerOnce;
  /** For what goes on after an answer has begun. */
  logger: Logger;
  /** What streams follow. */
  tails: SealedTails;
  /** Null: nobody asks for figures. */
  metrics: Metrics | null;
}

/** One published view of the gate's resources. It translates, and holds no rule. */
export interface Surface {
  /** Stands before the path of every route it declares. */
  prefix: '/api' | '/v1';
  errors: ErrorTable;
  /** Declares its routes; shared steps are added by the app, so that none can be forgotten. */
  routes(app: GateApp, tools: RouteTools): void;
}
