import type { JsonObject } from '@permitry/protocol';
import type { Instant } from './instant.ts';

/** A remembered answer to a request that carried an Idempotency-Key. It never holds a secret or a permit token. */
export interface IdempotencyRecord {
  /** Credential, method and path. */
  scope: string;
  key: string;
  /** Hex SHA-256 of the request's raw body. */
  bodyHash: string;
  /** HTTP status; 0: the answer was erased; `UNANSWERED_STATUS`. */
  status: number;
  body: JsonObject;
  expiresAt: Instant;
}

/** The change was made, and what it was answered is not known yet. */
export const UNANSWERED_STATUS = 1;

export interface IdempotencyReader {
  findIdempotencyRecord(scope: string, key: string, now: Instant): Promise<IdempotencyRecord | undefined>;
}

export interface IdempotencyWriter {
  /** False when one that has not expired stands there already; an expired one is replaced. */
  insertIdempotencyRecord(record: IdempotencyRecord, now: Instant): Promise<boolean>;
  /** Puts the answer in the place of none. Guard: unanswered. */
  completeIdempotencyRecord(record: IdempotencyRecord): Promise<boolean>;
  /** As if the request had not been made. Guard: unanswered. */
  deleteUnanswered(scope: string, key: string): Promise<void>;
  deleteExpiredIdempotencyRecords(now: Instant, limit: number): Promise<number>;
}
