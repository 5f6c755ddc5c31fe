import type { AuditActor, AuditCommitment, EventType, JsonObject } from '@permitry/protocol';
import type { Instant } from '../instant.ts';

/** Who did it. `operator`: a person at the machine itself (the command line). `system`: the gate, by the clock. */
export interface Actor extends AuditActor {
  display: string;
}

/** One thing that happened, as written in the transaction of the change it tells of. */
export interface AuditEvent {
  id: string;
  projectId: string;
  type: EventType;
  occurredAt: Instant;
  /** As it was then; `display` is null once erased. */
  actor: AuditActor;
  intentId: string | null;
  data: JsonObject;
  /**
   * By JSON Pointer into the record, e.g. `/actor/display`, `/data/reason`: salted digests that stand in the chain
   * for texts which may hold personal data, so that these can be erased. The rule: protocol's `audit-record.ts`.
   */
  commitments: Readonly<Record<string, AuditCommitment>>;
  /** "sha256:…" over the record without its chain members and with committed texts left out. */
  eventHash: string;
}

/** An event with its place in the project's chain. */
export interface SealedEvent extends AuditEvent {
  /** From 1, without gaps. */
  seq: number;
  prevHash: string;
  hash: string;
}

/** The end of a project's chain, signed so that a cut-off tail can be noticed against a saved copy. */
export interface ChainHead {
  projectId: string;
  seq: number;
  hash: string;
  sealedAt: Instant;
  /** JWS, `typ: audit-head+jwt`. */
  jws: string;
}

export interface AuditFilter {
  projectId: string;
  types?: readonly EventType[];
  intentId?: string;
  /** Id or display. */
  actor?: string;
  /** Inclusive. */
  from?: Instant;
  /** Exclusive. */
  to?: Instant;
  order: 'asc' | 'desc';
  /** The `seq` of the last record already seen. */
  afterSeq?: number;
  limit: number;
}

export interface AuditReader {
  /** Sealed events only. */
  listSealedEvents(filter: AuditFilter): Promise<readonly SealedEvent[]>;
  findChainHead(projectId: string): Promise<ChainHead | undefined>;
  /** Oldest first, in the order in which they were committed. */
  listUnsealedEvents(
    projectId: string,
    limit: number,
  ): Promise<readonly { position: number; eventHash: string }[]>;
  countUnsealedEvents(projectId: string): Promise<number>;
  /** Projects that have unsealed events. */
  listUnsealedProjects(): Promise<readonly string[]>;
}

export interface AuditWriter {
  insertEvent(event: AuditEvent): Promise<void>;
  /** Throws when another event of the project has that `seq` already. */
  sealEvent(position: number, seal: { seq: number; prevHash: string; hash: string }): Promise<void>;
  saveChainHead(head: ChainHead): Promise<void>;
}
