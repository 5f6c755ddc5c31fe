import type { AgentReader } from '../agents/agent.ts';
import type { ApprovalReader } from '../approvals/approval.ts';
import type { AuditReader } from '../audit/audit-event.ts';
import type { ProposalReader } from '../four-eyes/policy-proposal.ts';
import type { IntentReader } from '../intents/intent.ts';
import type { Reach } from '../kernel/reach.ts';
import type { SecretEncryption } from '../kernel/secret-encryption.ts';
import type { Leases } from '../leases/leases.ts';
import type { OutboxReader, OutboxWriter } from '../outbox/delivery.ts';
import type { ProjectSettingsCache } from '../project-settings/project-settings.ts';
import type { ChangeDeps } from '../projects/change-deps.ts';
import type { WebhookReader } from '../webhooks/webhook.ts';
import type { NotificationReader, NotificationWriter } from './notification.ts';

export interface NotificationDeps
  extends ChangeDeps<
    AgentReader &
      ApprovalReader &
      AuditReader &
      IntentReader &
      NotificationReader &
      OutboxReader &
      ProposalReader &
      WebhookReader,
    NotificationWriter & OutboxWriter
  > {
  leases: Leases;
  projectSettings: ProjectSettingsCache;
  reach: Reach;
  secretEncryption: SecretEncryption;
}
