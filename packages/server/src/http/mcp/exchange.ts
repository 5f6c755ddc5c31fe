import type { Caller } from '../../gate/access/caller.ts';
import type { GateParts } from '../../open-gate.ts';
import type { ClientAnswers } from './client-answers.ts';
import type { LogLevels } from './log-levels.ts';
import type { McpSession } from './session.ts';

/** One message and its answer: what the tools know of the request that carries it. */
export interface Exchange {
  gate: GateParts;
  /** The credential as it was when the message came. */
  caller: Caller;
  /** `req_…`. */
  requestId: string;
  /** Whether tools are shown, and called, by plain names. */
  plainNames: boolean;
  /** Whether a client of the 2025 revisions speaks. */
  legacy: boolean;
  /** Of one of those that brought one. */
  session: McpSession | null;
  logLevels: LogLevels;
  /** Of clients that are asked something while a call is held. */
  answers: ClientAnswers;
  /** Aborts when the client went away or cancelled. */
  cancelled: AbortSignal;
  /** The credential as it stands now: it may have ended while the call was held. Throws `unauthorized`, `agent_revoked`. */
  refreshCaller(): Promise<Caller>;
  /** Told of what nobody foresaw. */
  onFault(error: unknown): void;
}
