import type { Clock } from '../kernel/clock.ts';
import type { Ids } from '../kernel/ids.ts';
import type { Storage } from '../kernel/storage.ts';
import type { ProjectReader } from '../projects/project.ts';
import type { Tokens } from '../tokens/tokens.ts';
import type { AuditReader, AuditWriter } from './audit-event.ts';
import type { EventLog } from './event-log.ts';

/** Dependencies of the audit log's readers and writers. */
export interface AuditDeps {
  storage: Storage<AuditReader & ProjectReader, AuditWriter>;
  clock: Clock;
  ids: Ids;
  ledger: EventLog;
  tokens: Tokens;
}
