/** The union of all nouns: everything that a database stores for the gate. Operations name the nouns that they use. */

import type { CredentialReader, CredentialWriter } from '../gate/access/credential.ts';
import type { SessionReader, SessionWriter } from '../gate/access/session.ts';
import type { AgentReader, AgentWriter } from '../gate/agents/agent.ts';
import type { ApprovalReader, ApprovalWriter } from '../gate/approvals/approval.ts';
import type { AuditReader, AuditWriter } from '../gate/audit/audit-event.ts';
import type { ErasureReader, ErasureWriter } from '../gate/erasure/erasure.ts';
import type { RetentionReader, RetentionWriter } from '../gate/erasure/retention.ts';
import type { UnfinishedErasureReader, UnfinishedErasureWriter } from '../gate/erasure/unfinished-erasure.ts';
import type { ProposalReader, ProposalWriter } from '../gate/four-eyes/policy-proposal.ts';
import type { HeartbeatReader, HeartbeatWriter } from '../gate/heartbeats/heartbeat.ts';
import type { InboxReader } from '../gate/inbox/inbox.ts';
import type { InstallationReader, InstallationWriter } from '../gate/installation/installation.ts';
import type { IntentReader, IntentWriter } from '../gate/intents/intent.ts';
import type { IdempotencyReader, IdempotencyWriter } from '../gate/kernel/idempotency.ts';
import type { AfterCommit } from '../gate/kernel/storage.ts';
import type { LeaseWriter } from '../gate/leases/lease.ts';
import type { MandateUseReader, MandateUseWriter } from '../gate/mandates/mandate-uses.ts';
import type { NotificationReader, NotificationWriter } from '../gate/notifications/notification.ts';
import type { OutboxReader, OutboxWriter } from '../gate/outbox/delivery.ts';
import type { OverviewReader } from '../gate/overview/overview.ts';
import type { ShadowReader, ShadowWriter } from '../gate/policy-management/shadow/shadow-policy.ts';
import type { SimulationReader } from '../gate/policy-management/simulation/simulation-job.ts';
import type { ProjectReader, ProjectWriter } from '../gate/projects/project.ts';
import type { ProofReader, ProofWriter } from '../gate/proof/proof-session.ts';
import type { RestoreReader, RestoreWriter } from '../gate/restore/restored-copy.ts';
import type {
  SigningKeyRecordReader,
  SigningKeyRecordWriter,
} from '../gate/signing-keys/signing-key-record.ts';
import type { ReceiptStatusReader, ReceiptStatusWriter } from '../gate/tokens/receipt-status.ts';
import type { ConnectorRequestReader, ConnectorRequestWriter } from '../gate/tools/connector-request.ts';
import type { MockRecordReader, MockRecordWriter } from '../gate/tools/mock-record.ts';
import type { UpstreamReader, UpstreamWriter } from '../gate/upstreams/upstream.ts';
import type { WebhookReader, WebhookWriter } from '../gate/webhooks/webhook.ts';
import type { DeviceKeyReader, DeviceKeyWriter } from '../people/device-keys/device-key.ts';
import type { InvitationReader, InvitationWriter } from '../people/invitations/invitation.ts';
import type { OneTimeLinkReader, OneTimeLinkWriter } from '../people/links/one-time-link.ts';
import type { IdentityReader, IdentityWriter } from '../people/oidc/identity.ts';
import type { PairingReader, PairingWriter } from '../people/pairings/pairing.ts';
import type { PasskeyReader, PasskeyWriter } from '../people/passkeys/passkey.ts';
import type { PasswordReader, PasswordWriter } from '../people/passwords/password.ts';
import type { SecondFactorReader, SecondFactorWriter } from '../people/second-factor/second-factor.ts';
import type { SignInCountReader, SignInCountWriter } from '../people/sign-in-tries/sign-in-count.ts';

/** Sees only committed and durable data. */
export interface Reader
  extends AgentReader,
    ApprovalReader,
    AuditReader,
    ConnectorRequestReader,
    CredentialReader,
    DeviceKeyReader,
    ErasureReader,
    HeartbeatReader,
    IdempotencyReader,
    IdentityReader,
    InboxReader,
    InstallationReader,
    IntentReader,
    MandateUseReader,
    MockRecordReader,
    NotificationReader,
    InvitationReader,
    OneTimeLinkReader,
    OutboxReader,
    PasswordReader,
    OverviewReader,
    PairingReader,
    PasskeyReader,
    ProjectReader,
    ProofReader,
    ProposalReader,
    ReceiptStatusReader,
    RestoreReader,
    RetentionReader,
    SecondFactorReader,
    SessionReader,
    SigningKeyRecordReader,
    SignInCountReader,
    SimulationReader,
    ShadowReader,
    UnfinishedErasureReader,
    UpstreamReader,
    WebhookReader {}

/** Also sees its own writes. */
export interface Transaction
  extends Reader,
    AgentWriter,
    ApprovalWriter,
    AuditWriter,
    ConnectorRequestWriter,
    CredentialWriter,
    DeviceKeyWriter,
    ErasureWriter,
    HeartbeatWriter,
    IdempotencyWriter,
    IdentityWriter,
    InstallationWriter,
    IntentWriter,
    LeaseWriter,
    MandateUseWriter,
    MockRecordWriter,
    NotificationWriter,
    InvitationWriter,
    OneTimeLinkWriter,
    OutboxWriter,
    PasswordWriter,
    PairingWriter,
    PasskeyWriter,
    ProjectWriter,
    ProofWriter,
    ProposalWriter,
    ReceiptStatusWriter,
    RestoreWriter,
    RetentionWriter,
    SecondFactorWriter,
    SessionWriter,
    SignInCountWriter,
    SigningKeyRecordWriter,
    ShadowWriter,
    UnfinishedErasureWriter,
    UpstreamWriter,
    WebhookWriter,
    AfterCommit {}
