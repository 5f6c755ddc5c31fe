import type { AgentReader } from '../agents/agent.ts';
import type { AuditWriter } from '../audit/audit-event.ts';
import type { EventLog } from '../audit/event-log.ts';
import type { IntentReader } from '../intents/intent.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Ids } from '../kernel/ids.ts';
import type { Storage } from '../kernel/storage.ts';
import type { ProjectReader } from '../projects/project.ts';
import type { ReceiptStatusWriter } from '../tokens/receipt-status.ts';
import type { Tokens } from '../tokens/tokens.ts';

/** Dependencies of the operations on signing keys. */
export interface SigningKeyDeps {
  storage: Storage<AgentReader & IntentReader & ProjectReader, AuditWriter & ReceiptStatusWriter>;
  clock: Clock;
  ids: Ids;
  ledger: EventLog;
  tokens: Tokens;
}
