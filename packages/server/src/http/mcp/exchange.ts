import type { Caller } from '../../gate/access/caller.ts';
import type { GateParts } from '../../open-gate.ts';
import type { ClientAnswers } from './client-answers.ts';
import type { LogLevels } from './log-levels.ts';
import type { McpSession } from './session.ts';

/** One message and its answer: what the tools know about the HTTP request. */
export interface Exchange {
  gate: GateParts;
  /** The credential as it was when the message arrived. */
  caller: Caller;
  /** `req_…`. */
  requestId: string;
  /** Whether tools are listed and called by plain names. */
  plainNames: boolean;
  /** Whether the client speaks a 2025 revision. */
  legacy: boolean;
  /** The session of a 2025 client that sent one. */
  session: McpSession | null;
  logLevels: LogLevels;
  /** Answers to questions that are asked while a call is held. */
  answers: ClientAnswers;
  /** Aborts when the client disconnects or cancels. */
  cancelled: AbortSignal;
  /**
   * Reads the credential again, because it may have ended while the call was held. Throws `unauthorized`,
   * `agent_revoked`.
   */
  refreshCaller(): Promise<Caller>;
  /** Reports an unexpected error. */
  onFault(error: unknown): void;
}
