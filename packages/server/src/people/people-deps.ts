import type { CredentialReader, CredentialWriter } from '../gate/access/credential.ts';
import type { SessionReader, SessionWriter } from '../gate/access/session.ts';
import type { AgentReader, AgentWriter } from '../gate/agents/agent.ts';
import type { AuditWriter } from '../gate/audit/audit-event.ts';
import type { EventLog } from '../gate/audit/event-log.ts';
import type { InstallationWriter } from '../gate/installation/installation.ts';
import type { Clock } from '../gate/kernel/clock.ts';
import type { IdempotencyWriter } from '../gate/kernel/idempotency.ts';
import type { Ids } from '../gate/kernel/ids.ts';
import type { Reach } from '../gate/kernel/reach.ts';
import type { SecretEncryption } from '../gate/kernel/secret-encryption.ts';
import type { Storage } from '../gate/kernel/storage.ts';
import type { NotificationReader, NotificationWriter } from '../gate/notifications/notification.ts';
import type { OutboxWriter } from '../gate/outbox/delivery.ts';
import type { ProjectReader, ProjectWriter } from '../gate/projects/project.ts';
import type { ProofWriter } from '../gate/proof/proof-session.ts';
import type { AccountMail } from './account-mail.ts';
import type { DeviceKeyReader, DeviceKeyWriter } from './device-keys/device-key.ts';
import type { InvitationReader, InvitationWriter } from './invitations/invitation.ts';
import type { OneTimeLinkReader, OneTimeLinkWriter } from './links/one-time-link.ts';
import type { IdentityReader, IdentityWriter } from './oidc/identity.ts';
import type { PairingReader, PairingWriter } from './pairings/pairing.ts';
import type { PasskeyReader, PasskeyWriter } from './passkeys/passkey.ts';
import type { PasswordHasher, PasswordReader, PasswordWriter } from './passwords/password.ts';
import type { SecondFactorReader, SecondFactorWriter } from './second-factor/second-factor.ts';
import type { SignInCountReader, SignInCountWriter } from './sign-in-tries/sign-in-count.ts';
import type { SignInLimits } from './sign-in-tries/sign-in-limits.ts';

type Reads = AgentReader &
  CredentialReader &
  DeviceKeyReader &
  IdentityReader &
  InvitationReader &
  NotificationReader &
  OneTimeLinkReader &
  PairingReader &
  PasskeyReader &
  PasswordReader &
  ProjectReader &
  SecondFactorReader &
  SessionReader &
  SignInCountReader;
type Writes = AgentWriter &
  AuditWriter &
  CredentialWriter &
  DeviceKeyWriter &
  IdempotencyWriter &
  IdentityWriter &
  InstallationWriter &
  InvitationWriter &
  NotificationWriter &
  OutboxWriter &
  OneTimeLinkWriter &
  PairingWriter &
  PasskeyWriter &
  PasswordWriter &
  ProjectWriter &
  ProofWriter &
  SecondFactorWriter &
  SessionWriter &
  SignInCountWriter;

/** Dependencies of every operation on people. */
interface Base<Reading> {
  storage: Storage<Reads & Reading, Writes>;
  clock: Clock;
  ids: Ids;
  ledger: EventLog;
  reach: Reach;
}

/** Dependencies that only some operations need. */
interface Extras {
  /** base_url: every link starts with it. */
  issuer: string;
  passwords: PasswordHasher;
  secretEncryption: SecretEncryption;
  signInLimits: SignInLimits;
  accountMail: AccountMail;
}

/**
 * Dependencies of an operation on people.
 *
 * @example PeopleDeps<'passwords' | 'signInLimits'>
 */
export type PeopleDeps<Extra extends keyof Extras = never, Reading = unknown> = Base<Reading> &
  Pick<Extras, Extra>;
