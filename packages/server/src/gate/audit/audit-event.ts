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
  /** From 1, without gaps, in the order of commits; given when the event is written. */
  seq: number;
  /** Empty, as `hash`, where the seal that held it is gone: no record verifies so. */
  prevHash: string;
  hash: string;
}

/**
 * A stretch of a project's chain, sealed in one go. Hashes stand here and not with their events, so that an event is
 * written once and never touched again.
 */
export interface Seal {
  projectId: string;
  firstSeq: number;
  /** Hash of the record before the first. */
  prevHash: string;
  /** Of each record, "sha256:…", from `firstSeq` on. */
  hashes: readonly string[];
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
  /** The `seq` of the last record to look at, in this order: a bound on the cost of a filter that few match. */
  throughSeq?: number;
  limit: number;
}

export interface AuditReader {
  /** Sealed events only. */
  listSealedEvents(filter: AuditFilter): Promise<readonly SealedEvent[]>;
  findChainHead(projectId: string): Promise<ChainHead | undefined>;
  /** Those after `afterSeq` that no seal covers, in the order in which they were committed. */
  listUnsealedEvents(
    projectId: string,
    afterSeq: number,
    limit: number,
  ): Promise<readonly { seq: number; eventHash: string }[]>;
  countUnsealedEvents(projectId: string): Promise<number>;
  /** Projects that have unsealed events. */
  listUnsealedProjects(): Promise<readonly string[]>;
}

export interface AuditWriter {
  /** Gives the event the next place in its project. */
  insertEvent(event: AuditEvent): Promise<void>;
  /** Throws when it does not follow right on what is sealed already: the chain must not fork. */
  insertSeal(seal: Seal): Promise<void>;
  saveChainHead(head: ChainHead): Promise<void>;
}
