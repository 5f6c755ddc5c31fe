import type { AuditActor, AuditCommitment, EventType, JsonObject } from '@permitry/protocol';
import type { Instant } from '../kernel/instant.ts';

/** One event, written in the transaction of the change that it records. */
export interface AuditEvent {
  id: string;
  projectId: string;
  type: EventType;
  occurredAt: Instant;
  /** The actor at the time of the event. `display` is null once erased. */
  actor: AuditActor;
  intentId: string | null;
  data: JsonObject;
  /**
   * Digests keyed by JSON Pointer into the record, e.g. `/actor/display`, `/data/reason`. A salted digest represents
   * each text that may hold personal data, so that the text can be erased. The rule is in protocol's `audit-record.ts`.
   */
  commitments: Readonly<Record<string, AuditCommitment>>;
  /** "sha256:…" over the record without its chain members and committed texts. */
  eventHash: string;
}

/** An event with its place in the project's chain. */
export interface SealedEvent extends AuditEvent {
  /** Counts from 1, without gaps. */
  seq: number;
  /** Empty, like `hash`, when the seal that held it is gone. Verification fails for such a record. */
  prevHash: string;
  hash: string;
}

/** A committed event without a seal. */
export interface UnsealedEvent {
  /** The storage finds the event by this position. Events enter the chain in order of position. */
  position: number;
  /** The `seq`, if the storage assigned one when it wrote the event. Null if sealing assigns it. */
  seq: number | null;
  eventHash: string;
}

/** A stretch of a project's chain, sealed in one transaction. Hashes are stored here and not with their events. */
export interface Seal {
  projectId: string;
  firstSeq: number;
  /** The position of each event, in the order in which they are sealed. */
  positions: readonly number[];
  /** Hash of the record before this stretch. */
  prevHash: string;
  /** The hash of each record from `firstSeq` on, "sha256:…". */
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
  /** Id or display name of the actor. */
  actor?: string;
  /** Inclusive. */
  from?: Instant;
  /** Exclusive. */
  to?: Instant;
  order: 'asc' | 'desc';
  /** The `seq` of the last record already seen. */
  afterSeq?: number;
  /** The `seq` of the last record to examine, in the given order. Limits the cost of a filter with few matches. */
  throughSeq?: number;
  limit: number;
}

export interface AuditReader {
  /** Sealed events only. */
  listSealedEvents(filter: AuditFilter): Promise<readonly SealedEvent[]>;
  findChainHead(projectId: string): Promise<ChainHead | undefined>;
  /**
   * Events that no seal covers, by position. With many writers, an event committed late may get an earlier position
   * than events committed before it.
   *
   * @param throughPosition The last position to include.
   */
  listUnsealedEvents(
    projectId: string,
    limit: number,
    throughPosition?: number,
  ): Promise<readonly UnsealedEvent[]>;
  /** Position of the last event that no seal covers. Everything committed after the call comes later in the chain. */
  findLastUnsealedPosition(projectId: string): Promise<number | undefined>;
  countUnsealedEvents(projectId: string): Promise<number>;
  /** Projects with unsealed events, and the position of each project's first one. */
  listUnsealedProjects(): Promise<readonly { projectId: string; firstPosition: number }[]>;
  /** The latest `limit` events of the project, sealed or not. */
  listLatestEventIds(projectId: string, limit: number): Promise<readonly string[]>;
  /** The ends of the chains that were sealed at `sealedSince` or later. */
  listChainEnds(sealedSince: Instant): Promise<readonly ChainEnd[]>;
}

export interface AuditWriter {
  /** Gives the event the next place in its project, unless sealing assigns places. */
  insertEvent(event: AuditEvent): Promise<void>;
  /**
   * Appends the stretch to the end of the chain that it was computed from, and stores `head`. The events have their
   * `seq` from then on. Returns false and writes nothing when the chain has another end now, or another gate is
   * appending. Throws when an event or a seal is not as expected: the chain must not fork.
   */
  appendSeal(seal: Seal, head: ChainHead): Promise<boolean>;
}
