/**
 * Connector requests. Each is one tool call, from the request for approval to its outcome. It is created in the
 * transaction of its intent. A gate claims it in the transaction of the permit's use, and then runs it. It is settled
 * in the transaction of the intent's outcome. If the gate is certain that it sent nothing, one transaction undoes the
 * claim and the use.
 */
import type { JsonObject } from '@permitry/protocol';
import type { Instant } from '../kernel/instant.ts';
import type { Tool } from './connectors.ts';

/**
 * `pending`: not run. Its intent says whether it may run. `refused`: policy denied it when it was created. `unknown`:
 * the gate that ran it stopped first, or could not tell the result.
 */
export type ConnectorRequestState = 'pending' | 'executing' | 'executed' | 'failed' | 'unknown' | 'refused';

export interface ConnectorRequest {
  /** `crq_…`. */
  id: string;
  projectId: string;
  /** An intent has at most one request. */
  intentId: string;
  /** The credential that made the request. */
  credentialId: string;
  toolName: string;
  /** Hash of the tool when the request was made. */
  toolHash: string;
  /** The `params_hash` of its intent. */
  argumentsHash: string;
  resultForm: Tool['resultForm'];
  state: ConnectorRequestState;
  /**
   * The credential that used the permit. It differs from `credentialId` if another credential presented the permit.
   */
  ranBy: string | null;
  /** The gate that runs the request, and until when its lease lasts. Null before and after the run. */
  leasedBy: string | null;
  leasedUntil: Instant | null;
  result: JsonObject | null;
  /** Text to show with a result, or without one. */
  message: string | null;
  createdAt: Instant;
  settledAt: Instant | null;
  /** When result and message were erased. */
  erasedAt: Instant | null;
}

/** A request that a gate is running. */
export type ExecutingRequest = Pick<ConnectorRequest, 'id' | 'projectId' | 'intentId'> & {
  leasedBy: string;
  leasedUntil: Instant;
};

export interface ConnectorClaim {
  ranBy: string;
  leasedBy: string;
  leasedUntil: Instant;
}

export interface ConnectorSettlement {
  state: 'executed' | 'failed' | 'unknown';
  result: JsonObject | null;
  message: string | null;
  at: Instant;
}

export interface ConnectorRequestReader {
  findConnectorRequest(requestId: string): Promise<ConnectorRequest | undefined>;
  findConnectorRequestOf(intentId: string): Promise<ConnectorRequest | undefined>;
  /** The newest pending request of the credential for a tool with arguments of this hash. */
  findWaitingConnectorRequest(
    credentialId: string,
    toolName: string,
    argumentsHash: string,
  ): Promise<ConnectorRequest | undefined>;
  /** The requests whose lease ends first. */
  listExecutingRequests(limit: number): Promise<readonly ExecutingRequest[]>;
  /** Finds requests of the project whose result or message contains the text, ignoring case. Start with `from` 0. */
  findConnectorRequestsWithText(
    projectId: string,
    text: string,
    from: number,
  ): Promise<{ items: readonly string[]; next: number | null }>;
}

/** Each change is one guarded statement. Its result is whether this caller made the change. */
export interface ConnectorRequestWriter {
  /** False if the intent already has a request. */
  insertConnectorRequest(request: ConnectorRequest): Promise<boolean>;
  /** Guard: pending. */
  claimConnectorRequest(requestId: string, claim: ConnectorClaim): Promise<boolean>;
  /** Undoes the claim: the request is pending again. Guard: executing, by this gate. */
  releaseConnectorRequest(requestId: string, leasedBy: string): Promise<boolean>;
  /** Guard: executing, by this gate. */
  extendConnectorRequest(requestId: string, leasedBy: string, until: Instant): Promise<boolean>;
  /** Guard: executing. If the request was erased during the run, no text is kept. */
  settleConnectorRequest(requestId: string, settlement: ConnectorSettlement): Promise<boolean>;
  /** Erases result and message, including those of a run that has not ended. */
  eraseConnectorRequest(requestId: string, at: Instant): Promise<void>;
  /** Erases the request of an intent, if the intent has one. */
  eraseConnectorRequestOf(intentId: string, at: Instant): Promise<void>;
}
