/**
 * Connector requests: each is one call of a tool, from the question whether it may be made to what came of it. One is
 * made in the transaction of its intent, is run by the gate that claimed it in the transaction of the permit's use, and
 * is settled in the transaction of the intent's outcome. A claim of which certainly nothing was sent is given back, with
 * the use, in one transaction.
 */
import type { JsonObject } from '@permitry/protocol';
import type { Instant } from '../kernel/instant.ts';
import type { Tool } from './connectors.ts';

/**
 * `pending`: not run; whether it may be is what its intent says. `refused`: policy denied it when it was asked for.
 * `unknown`: whoever ran it did not live to tell, or could not.
 */
export type ConnectorRequestState = 'pending' | 'executing' | 'executed' | 'failed' | 'unknown' | 'refused';

export interface ConnectorRequest {
  /** `crq_…`. */
  id: string;
  projectId: string;
  /** An intent has one at most. */
  intentId: string;
  /** Who asked. */
  credentialId: string;
  toolName: string;
  /** Of the tool as it was when it was asked for. */
  toolHash: string;
  /** `params_hash` of its intent. */
  argumentsHash: string;
  resultForm: Tool['resultForm'];
  state: ConnectorRequestState;
  /** Who used the permit: the same, unless another credential presented it. */
  ranBy: string | null;
  /** The gate that runs it, and until when it is taken to live; null before and after. */
  leasedBy: string | null;
  leasedUntil: Instant | null;
  result: JsonObject | null;
  /** What is to be said beside, or in place of, a result. */
  message: string | null;
  createdAt: Instant;
  settledAt: Instant | null;
  /** When result and message were erased. */
  erasedAt: Instant | null;
}

/** Of one that runs somewhere. */
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
  /** The newest pending one of the credential, for a tool and arguments of this hash. */
  findWaitingConnectorRequest(
    credentialId: string,
    toolName: string,
    argumentsHash: string,
  ): Promise<ConnectorRequest | undefined>;
  /** Those whose lease ends first. */
  listExecutingRequests(limit: number): Promise<readonly ExecutingRequest[]>;
  /** Requests of the project whose result or message holds the text, upper and lower case alike; at first from 0. */
  findConnectorRequestsWithText(
    projectId: string,
    text: string,
    from: number,
  ): Promise<{ items: readonly string[]; next: number | null }>;
}

/** Each change is one guarded statement; it answers whether this caller made it. */
export interface ConnectorRequestWriter {
  /** False when its intent has one already. */
  insertConnectorRequest(request: ConnectorRequest): Promise<boolean>;
  /** Guard: pending. */
  claimConnectorRequest(requestId: string, claim: ConnectorClaim): Promise<boolean>;
  /** Undoes the claim: it is pending again. Guard: executing, by this gate. */
  releaseConnectorRequest(requestId: string, leasedBy: string): Promise<boolean>;
  /** Guard: executing, by this gate. */
  extendConnectorRequest(requestId: string, leasedBy: string, until: Instant): Promise<boolean>;
  /** Guard: executing. Of one that was erased meanwhile, no text is kept. */
  settleConnectorRequest(requestId: string, settlement: ConnectorSettlement): Promise<boolean>;
  /** Result and message go, also those that are still to come. */
  eraseConnectorRequest(requestId: string, at: Instant): Promise<void>;
  /** The same for the request of an intent, if it has one. */
  eraseConnectorRequestOf(intentId: string, at: Instant): Promise<void>;
}
