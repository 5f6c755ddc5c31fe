import type { JsonObject } from '@permitry/protocol';
import type { IntentView } from '../intents/intent-view.ts';
import type { ConnectorRequest } from './connector-request.ts';

/** The answer to a tool call. Everything else is a refusal, thrown as `GateError`. */
export type GatewayAnswer = {
  request: ConnectorRequest;
  /** As the caller may see it. */
  intent: IntentView;
  /** Whether it answers an earlier call with the same idempotency key. */
  replayed: boolean;
} & (
  | {
      kind: 'executed';
      /** Null if it was erased or is too large to keep. */
      result: JsonObject | null;
      message: string | null;
    }
  /** The tool ran and reported that it did not do it. */
  | { kind: 'failed'; result: JsonObject | null; message: string | null }
  /** The tool ran, and it is not known whether it did it. */
  | { kind: 'unknown'; message: string | null }
  /** The call waits for approval. Come back with the request's ID. */
  | { kind: 'pending' }
  /** The tool still runs after the longest time that an answer is held. Come back with the request's ID. */
  | { kind: 'executing' }
);
