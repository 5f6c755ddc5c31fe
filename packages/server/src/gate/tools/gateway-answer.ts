import type { JsonObject } from '@permitry/protocol';
import type { IntentView } from '../intents/intent-view.ts';
import type { ConnectorRequest } from './connector-request.ts';

/** What a call of a tool comes to; whatever else there is to say is a refusal, thrown as `GateError`. */
export type GatewayAnswer = {
  request: ConnectorRequest;
  /** As the caller may see it. */
  intent: IntentView;
  /** Whether it is of a call that was made before, under the same idempotency key. */
  replayed: boolean;
} & (
  | {
      kind: 'executed';
      /** Null when it was erased, or too large to be kept. */
      result: JsonObject | null;
      message: string | null;
    }
  /** The tool was run and says that it did not do it. */
  | { kind: 'failed'; result: JsonObject | null; message: string | null }
  /** The tool was run, and nobody knows whether it did it. */
  | { kind: 'unknown'; message: string | null }
  /** People are asked; come back with the request's id. */
  | { kind: 'pending' }
  /** It runs, and takes longer than an answer is held; come back with the request's id. */
  | { kind: 'executing' }
);
