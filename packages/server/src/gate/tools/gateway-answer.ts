import type { JsonObject } from '@permitry/protocol';
import type { IntentView } from '../intents/intent-view.ts';
import type { ConnectorRequest } from './connector-request.ts';

/** The answer to a tool call. Every other result is a refusal, thrown as `GateError`. */
export type GatewayAnswer = {
  request: ConnectorRequest;
  /** The intent as the caller may see it. */
  intent: IntentView;
  /** Whether the request comes from an earlier call with the same idempotency key. */
  replayed: boolean;
} & (
  | {
      kind: 'executed';
      /** Null if the result was erased or is too large to keep. */
      result: JsonObject | null;
      message: string | null;
    }
  /** The tool ran and reported that it did not do the work. */
  | { kind: 'failed'; result: JsonObject | null; message: string | null }
  /** The tool ran, and the gate does not know whether it did the work. */
  | { kind: 'unknown'; message: string | null }
  /** The call waits for approval. The caller comes back with the request's ID. */
  | { kind: 'pending' }
  /** The tool still runs after the longest time that an answer is held. The caller comes back with the request's ID. */
  | { kind: 'executing' }
);
