import type { AuditReader } from '../audit/audit-event.ts';
import type { Reach } from '../kernel/reach.ts';
import type { SecretEncryption } from '../kernel/secret-encryption.ts';
import type { OutboxReader, OutboxWriter } from '../outbox/delivery.ts';
import type { ProjectSettingsCache } from '../project-settings/project-settings.ts';
import type { ChangeDeps } from '../projects/change-deps.ts';
import type { WebhookReader, WebhookWriter } from './webhook.ts';

export interface WebhookDeps
  extends ChangeDeps<AuditReader & OutboxReader & WebhookReader, OutboxWriter & WebhookWriter> {
  projectSettings: ProjectSettingsCache;
  reach: Reach;
  secretEncryption: SecretEncryption;
}
