import type { JsonObject } from '@permitry/protocol';
import type { Instant } from './instant.ts';

/** A stored answer to a request with an Idempotency-Key. It never holds a secret or a permit token. */
export interface IdempotencyRecord {
  /** Credential, method and path. */
  scope: string;
  key: string;
  /** Hex SHA-256 of the request's raw body. */
  bodyHash: string;
  /** HTTP status; 0: the answer was erased. */
  status: number;
  body: JsonObject;
  expiresAt: Instant;
}

export interface IdempotencyReader {
  findIdempotencyRecord(scope: string, key: string, now: Instant): Promise<IdempotencyRecord | undefined>;
}

export interface IdempotencyWriter {
  /** False when an unexpired record exists already. Replaces an expired one. */
  insertIdempotencyRecord(record: IdempotencyRecord, now: Instant): Promise<boolean>;
  deleteExpiredIdempotencyRecords(now: Instant, limit: number): Promise<number>;
}

/**
 * Stores the answer for a repetition of the request. An operation calls it last in the transaction of its change, with
 * the same object that it returns. So change and answer are stored together or not at all. The transaction may run more
 * than once, and so may this call.
 *
 * @example
 * return gate.storage.transaction(async (tx) => {
 *   await tx.insertKey(key);
 *   await remember?.(tx, key);
 *   return key;
 * });
 */
export type Remember<T> = (tx: IdempotencyWriter, result: T) => Promise<void>;
