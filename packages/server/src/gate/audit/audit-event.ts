import type { AuditActor, AuditCommitment, EventType, JsonObject } from '@permitry/protocol';
import type { Instant } from '../kernel/instant.ts';

/** One event, written in the transaction of the change that it records. */
export interface AuditEvent {
  id: string;
  projectId: string;
  type: EventType;
  occurredAt: Instant;
  /** The actor at that time. `display` is null once erased. */
  actor: AuditActor;
  intentId: string | null;
  data: JsonObject;
  /**
   * Keyed by JSON Pointer into the record, e.g. `/actor/display`, `/data/reason`. Salted digests represent texts that
   * may hold personal data, so that the texts can be erased. The rule is in protocol's `audit-record.ts`.
   */
  commitments: Readonly<Record<string, AuditCommitment>>;
  /** "sha256:…" over the record without its chain members and committed texts. */
  eventHash: string;
}

/** An event with its place in the project's chain. */
export interface SealedEvent extends AuditEvent {
  /** From 1, without gaps. */
  seq: number;
  /** Empty, like `hash`, when the seal that held it is gone. No such record verifies. */
  prevHash: string;
  hash: string;
}

/** A committed event without a seal. */
export interface UnsealedEvent {
  /** The storage finds it by this position. Events enter the chain in this order. */
  position: number;
  /** The `seq`, if the storage gave it one when it was written. Null if sealing does. */
  seq: number | null;
  eventHash: string;
}

/** A stretch of a project's chain, sealed in one go. Hashes are stored here and not with their events. */
export interface Seal {
  projectId: string;
  firstSeq: number;
  /** The position of each event, in the order in which they are sealed. */
  positions: readonly number[];
  /** Hash of the record before the first. */
  prevHash: string;
  /** Of each record, "sha256:…", from `firstSeq` on. */
  hashes: readonly string[];
}

/** The end of a project's chain, signed so that a missing tail shows against a saved copy. */
export interface ChainHead {
  projectId: string;
  seq: number;
  hash: string;
  sealedAt: Instant;
  /** JWS, `typ: audit-head+jwt`. */
  jws: string;
}

type ChainEnd = Pick<ChainHead, 'projectId' | 'seq'>;

export interface AuditFilter {
  projectId: string;
  types?: readonly EventType[];
  intentId?: string;
  /** Id or display name. */
  actor?: string;
  /** Inclusive. */
  from?: Instant;
  /** Exclusive. */
  to?: Instant;
  order: 'asc' | 'desc';
  /** The `seq` of the last record already seen. */
  afterSeq?: number;
  /** The `seq` of the last record to examine, in this order. Limits the cost of a filter with few matches. */
  throughSeq?: number;
  limit: number;
}

export interface AuditReader {
  /** Sealed events only. */
  listSealedEvents(filter: AuditFilter): Promise<readonly SealedEvent[]>;
  findChainHead(projectId: string): Promise<ChainHead | undefined>;
  /**
   * Events that no seal covers, by position. With many writers, an event committed late may come before others that
   * were there already.
   *
   * @param throughPosition None after this position.
   */
  listUnsealedEvents(
    projectId: string,
    limit: number,
    throughPosition?: number,
  ): Promise<readonly UnsealedEvent[]>;
  /** Position of the last event that no seal covers. Everything written from now on comes after it. */
  findLastUnsealedPosition(projectId: string): Promise<number | undefined>;
  countUnsealedEvents(projectId: string): Promise<number>;
  /** Projects with unsealed events, and the position of the first of them. */
  listUnsealedProjects(): Promise<readonly { projectId: string; firstPosition: number }[]>;
  /** The latest `limit` events of the project, sealed or not. */
  listLatestEventIds(projectId: string, limit: number): Promise<readonly string[]>;
  /** The ends of the chains that were sealed at that time or later. */
  listChainEnds(sealedSince: Instant): Promise<readonly ChainEnd[]>;
}

export interface AuditWriter {
  /** Gives the event the next place in its project, unless sealing does that. */
  insertEvent(event: AuditEvent): Promise<void>;
  /**
   * Appends the stretch to the end of the chain that it was computed from, and stores `head`. Events have their `seq`
   * from then on. Returns false and writes nothing when the chain ends elsewhere now, or another gate is appending.
   * Throws when an event or a seal is not as expected: the chain must not fork.
   */
  appendSeal(seal: Seal, head: ChainHead): Promise<boolean>;
}
