import type { AuditActor, AuditCommitment, EventType, JsonObject } from '@permitry/protocol';
import type { Instant } from '../kernel/instant.ts';

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
  /** Empty, as `hash`, where the seal that held it is gone: no record verifies so. */
  prevHash: string;
  hash: string;
}

/** An event that was committed and has no seal yet. */
export interface UnsealedEvent {
  /** What the storage finds it by. Events take their places in the chain in this order. */
  position: number;
  /** Where the storage gave it a `seq` when it was written; null where sealing does. */
  seq: number | null;
  eventHash: string;
}

/** A stretch of a project's chain, sealed in one go. Hashes stand here and not with their events. */
export interface Seal {
  projectId: string;
  firstSeq: number;
  /** Of each event, what the storage finds it by, in the order in which they are sealed. */
  positions: readonly number[];
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

type ChainEnd = Pick<ChainHead, 'projectId' | 'seq'>;

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
  /**
   * Those that no seal covers, by their places. Where many write at once, one that is committed late may stand before
   * others that were there already.
   *
   * @param throughPosition None after this place.
   */
  listUnsealedEvents(
    projectId: string,
    limit: number,
    throughPosition?: number,
  ): Promise<readonly UnsealedEvent[]>;
  /** Place of the last event that no seal covers; whatever is written from now on stands after it. */
  findLastUnsealedPosition(projectId: string): Promise<number | undefined>;
  countUnsealedEvents(projectId: string): Promise<number>;
  /** Projects that have unsealed events, with the place of the first of them. */
  listUnsealedProjects(): Promise<readonly { projectId: string; firstPosition: number }[]>;
  /** The latest `limit` events of the project, sealed or not. */
  listLatestEventIds(projectId: string, limit: number): Promise<readonly string[]>;
  /** Where the chains end that were sealed at that time or since. */
  listChainEnds(sealedSince: Instant): Promise<readonly ChainEnd[]>;
}

export interface AuditWriter {
  /** Gives the event the next place in its project, unless that is left to sealing. */
  insertEvent(event: AuditEvent): Promise<void>;
  /**
   * Puts the stretch at the end of the chain, which it was computed from, and signs it off with `head`; events have
   * their `seq` from then on. False when the chain ends elsewhere by now, or somebody else is at it: nothing is
   * written then. Throws when an event or a seal is not there as it should be: the chain must not fork.
   */
  appendSeal(seal: Seal, head: ChainHead): Promise<boolean>;
}
