/**
 * The doors out of the gate: time, ids, storage, signatures. Rules never open them; operations do. What a noun needs of
 * the storage, or of a thread beside, it says itself.
 */
import type { JsonObject, PublicJwk } from '@permitry/protocol';
import type { DeviceKeyReader, DeviceKeyWriter } from '../../people/device-keys/device-key.ts';
import type { InvitationReader, InvitationWriter } from '../../people/invitations/invitation.ts';
import type { OneTimeLinkReader, OneTimeLinkWriter } from '../../people/links/one-time-link.ts';
import type { IdentityReader, IdentityWriter } from '../../people/oidc/identity.ts';
import type { PairingReader, PairingWriter } from '../../people/pairings/pairing.ts';
import type { PasskeyReader, PasskeyWriter } from '../../people/passkeys/passkey.ts';
import type { PasswordReader, PasswordWriter } from '../../people/passwords/password.ts';
import type { SecondFactorReader, SecondFactorWriter } from '../../people/second-factor/second-factor.ts';
import type { SignInCountReader, SignInCountWriter } from '../../people/sign-in-tries/sign-in-count.ts';
import type { CredentialReader, CredentialWriter } from '../access/credential.ts';
import type { SessionReader, SessionWriter } from '../access/session.ts';
import type { AgentReader, AgentWriter } from '../agents/agent.ts';
import type { ApprovalReader, ApprovalWriter } from '../approvals/approval.ts';
import type { AuditReader, AuditWriter } from '../audit/audit-event.ts';
import type { ErasureReader, ErasureWriter } from '../erasure/erasure.ts';
import type { RetentionReader, RetentionWriter } from '../erasure/retention.ts';
import type { UnfinishedErasureReader, UnfinishedErasureWriter } from '../erasure/unfinished-erasure.ts';
import type { ProposalReader, ProposalWriter } from '../four-eyes/policy-proposal.ts';
import type { HeartbeatReader, HeartbeatWriter } from '../heartbeats/heartbeat.ts';
import type { InboxReader } from '../inbox/inbox.ts';
import type { InstallationReader, InstallationWriter } from '../installation/installation.ts';
import type { IntentReader, IntentWriter } from '../intents/intent.ts';
import type { LeaseWriter } from '../leases/lease.ts';
import type { NotificationReader, NotificationWriter } from '../notifications/notification.ts';
import type { OverviewReader } from '../overview/overview.ts';
import type { ShadowReader, ShadowWriter } from '../policy-management/shadow/shadow-policy.ts';
import type { SimulationReader } from '../policy-management/simulation/simulation-job.ts';
import type { ProjectReader, ProjectWriter } from '../projects/project.ts';
import type { ProofReader, ProofWriter } from '../proof/proof-session.ts';
import type { ReceiptStatusReader, ReceiptStatusWriter } from '../receipts/receipt-status.ts';
import type { RestoreReader, RestoreWriter } from '../restore/restored-copy.ts';
import type { SigningKey } from '../signing-keys/signing-key.ts';
import type { SigningKeyRecordReader, SigningKeyRecordWriter } from '../signing-keys/signing-key-record.ts';
import type { ConnectorRequestReader, ConnectorRequestWriter } from '../tools/connector-request.ts';
import type { MockRecordReader, MockRecordWriter } from '../tools/mock-record.ts';
import type { UpstreamReader, UpstreamWriter } from '../upstreams/upstream.ts';
import type { WebhookReader, WebhookWriter } from '../webhooks/webhook.ts';
import type { Instant } from './instant.ts';

export interface Clock {
  now(): Instant;
}

export type IdPrefix =
  | 'int'
  | 'prj'
  | 'agt'
  | 'key'
  | 'pmt'
  | 'rct'
  | 'evt'
  | 'usr'
  | 'ses'
  | 'inv'
  | 'idn'
  | 'pky'
  | 'dvk'
  | 'par'
  | 'psh'
  | 'ntc'
  | 'prf'
  | 'prp'
  | 'req'
  | 'crq'
  | 'ups'
  | 'whk'
  | 'dlv'
  | 'rpl';

export interface Ids {
  /** `<prefix>_<26 characters>`: opaque, unique, sortable by creation even when the clock is set back. */
  next(prefix: IdPrefix): string;
  /** Sorts before every id of the prefix that is given out from that moment on; it is nobody's. */
  first(prefix: IdPrefix, at: Instant): string;
  /** 16 random bytes, base64url: keeps a text from being guessed from its digest. */
  salt(): string;
}

/** How long a verifier may keep a copy of the key set, as `/.well-known/jwks.json` says. */
export const JWKS_MAX_AGE_SECONDS = 300;

/** Signs with keys it never shows. Behind it: files, or a hardware module. */
export interface Signer {
  /** The key that signs now. */
  readonly current: { kid: string; alg: 'ES256' };
  /**
   * Signature over the ASCII of `signingInput` by key `kid`: 64 bytes r‖s (RFC 7518 §3.4), base64url. Rejects with
   * `service_unavailable` when the key cannot be used at the moment.
   */
  sign(kid: string, signingInput: string): Promise<string>;
  /** False for a wrong signature and for an unknown key. `signature` is base64url. */
  verify(kid: string, signingInput: string, signature: string): Promise<boolean>;
  /** Undefined for a key that is unknown, or was compromised. */
  publicKey(kid: string): PublicJwk | undefined;
  /** Next, active and retired keys: all that a verifier may meet. */
  publicKeys(): readonly PublicJwk[];
  /** Every key there ever was, the compromised among them; oldest first. */
  keys(): readonly SigningKey[];
  /** Learns what others who sign with the same keys did to them; to be asked before a key counts as unknown. */
  refresh(): Promise<void>;
  /** Rejects with `service_unavailable` while the key that signs cannot be used. */
  assertCanSign(): Promise<void>;
}

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

/** Sees only what is committed and durable. */
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
    MockRecordReader,
    NotificationReader,
    InvitationReader,
    OneTimeLinkReader,
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

/** Sees its own writes as well. */
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
    MockRecordWriter,
    NotificationWriter,
    InvitationWriter,
    OneTimeLinkWriter,
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
    WebhookWriter {
  /** Runs once the change is durable; never when it was undone. Must not throw. */
  afterCommit(effect: () => void): void;
}

export interface TransactionOptions {
  /**
   * Says of the work that all it rests on is held by a guard of its own statements: a guarded update, a unique key, or
   * the project's revision as `findProjectRevision` reads it here. It may then run interleaved with others that say the
   * same. Left out: it runs as if alone.
   */
  guarded?: boolean;
}

export interface ForgetOptions {
  rewrite?: boolean;
  /** Told of each table before it is rewritten, where that is done table by table. */
  onTable?: (table: string) => void;
}

export interface Storage {
  readonly read: Reader;
  /** Committed data, also where `read` sees what a transaction has written that is kept open until it is answered. */
  readonly committed: Reader;
  /**
   * Runs `work` alone: its changes together or not at all. Resolves, or rejects with what `work` threw (its changes
   * undone), only after the commit it was part of is durable. Work may await nothing but the transaction's own
   * methods, and may be run more than once before one run of it is kept: it has no effect but through `tx` and
   * `tx.afterCommit`. A storage that cannot write rejects with `service_unavailable`.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Has what was overwritten or deleted before the call leave the storage's files. Resolves to false where it may stand
   * there still, because the files are not rewritten while requests wait; with `rewrite` they are, however long
   * everybody else waits.
   *
   * @throws GateError `service_unavailable` when it could not be done just now; with `rewrite` also `conflict`, which
   * says what has to be done first
   */
  forget(options?: ForgetOptions): Promise<boolean>;
}
