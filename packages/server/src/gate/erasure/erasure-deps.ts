import type { ApprovalReader } from '../approvals/approval.ts';
import type { AuditReader } from '../audit/audit-event.ts';
import type { IntentReader } from '../intents/intent.ts';
import type { OutboxWriter } from '../outbox/delivery.ts';
import type { ChangeDeps } from '../projects/change-deps.ts';
import type { ConnectorRequestWriter } from '../tools/connector-request.ts';
import type { MockRecordWriter } from '../tools/mock-record.ts';
import type { ErasureReader, ErasureWriter } from './erasure.ts';
import type { RetentionReader, RetentionWriter } from './retention.ts';
import type { UnfinishedErasureReader, UnfinishedErasureWriter } from './unfinished-erasure.ts';

/** Dependencies of erasing. `Reads` and `Writes` are added to the built-in ones. */
export type ErasureDeps<Reads = unknown, Writes = unknown> = ChangeDeps<
  ApprovalReader &
    AuditReader &
    ErasureReader &
    IntentReader &
    RetentionReader &
    UnfinishedErasureReader &
    Reads,
  ConnectorRequestWriter &
    ErasureWriter &
    MockRecordWriter &
    OutboxWriter &
    RetentionWriter &
    UnfinishedErasureWriter &
    Writes
>;
