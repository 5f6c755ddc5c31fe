import type { AuditReader, AuditWriter } from '../../gate/audit/audit-event.ts';
import type { EventLog } from '../../gate/audit/event-log.ts';
import type { InstallationWriter } from '../../gate/installation/installation.ts';
import type { Clock } from '../../gate/kernel/clock.ts';
import type { Ids } from '../../gate/kernel/ids.ts';
import type { Storage } from '../../gate/kernel/storage.ts';
import type { ProjectReader, ProjectWriter } from '../../gate/projects/project.ts';
import type { RestoreReader, RestoreWriter } from '../../gate/restore/restored-copy.ts';
import type { ReceiptStatusWriter } from '../../gate/tokens/receipt-status.ts';
import type { IdentityWriter } from '../../people/oidc/identity.ts';

/** Dependencies of declaring a gate restored. */
export interface RestoreDeps {
  storage: Storage<
    AuditReader & ProjectReader & RestoreReader,
    AuditWriter & IdentityWriter & InstallationWriter & ProjectWriter & ReceiptStatusWriter & RestoreWriter
  >;
  clock: Clock;
  ids: Ids;
  ledger: EventLog;
}
