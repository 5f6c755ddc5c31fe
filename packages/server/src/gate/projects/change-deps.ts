import type { CredentialReader } from '../access/credential.ts';
import type { SessionReader } from '../access/session.ts';
import type { AuditWriter } from '../audit/audit-event.ts';
import type { EventLog } from '../audit/event-log.ts';
import type { Clock } from '../kernel/clock.ts';
import type { IdempotencyWriter } from '../kernel/idempotency.ts';
import type { Ids } from '../kernel/ids.ts';
import type { Storage } from '../kernel/storage.ts';
import type { ProjectReader, ProjectWriter } from './project.ts';

/**
 * Dependencies of changing a project, or anything that belongs to it. `Reads` and `Writes` are added to the built-in
 * ones.
 */
export interface ChangeDeps<Reads = unknown, Writes = unknown> {
  storage: Storage<
    ProjectReader & CredentialReader & SessionReader & Reads,
    ProjectWriter & AuditWriter & IdempotencyWriter & Writes
  >;
  clock: Clock;
  ids: Ids;
  ledger: EventLog;
}
