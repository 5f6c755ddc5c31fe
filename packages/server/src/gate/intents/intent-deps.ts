import type { CredentialReader } from '../access/credential.ts';
import type { SessionReader } from '../access/session.ts';
import type { AgentReader } from '../agents/agent.ts';
import type { ApprovalReader, ApprovalWriter } from '../approvals/approval.ts';
import type { AuditWriter } from '../audit/audit-event.ts';
import type { EventLog } from '../audit/event-log.ts';
import type { Clock } from '../kernel/clock.ts';
import type { IdempotencyWriter } from '../kernel/idempotency.ts';
import type { Ids } from '../kernel/ids.ts';
import type { AfterCommit, Storage } from '../kernel/storage.ts';
import type { ProjectSettingsCache } from '../project-settings/project-settings.ts';
import type { ProjectReader } from '../projects/project.ts';
import type { ProofMethod, ProofReader, ProofVerifier, ProofWriter } from '../proof/proof-session.ts';
import type { Tokens } from '../tokens/tokens.ts';
import type { IntentReader, IntentWriter } from './intent.ts';
import type { IntentListeners } from './listeners.ts';

/** Dependencies of the operations on intents. `Reads` and `Writes` are added to the built-in ones. */
export interface IntentDeps<Reads = unknown, Writes = unknown> {
  storage: Storage<
    AgentReader &
      ApprovalReader &
      CredentialReader &
      IntentReader &
      ProjectReader &
      ProofReader &
      SessionReader &
      Reads,
    ApprovalWriter & AuditWriter & IdempotencyWriter & IntentWriter & ProofWriter & Writes
  >;
  clock: Clock;
  ids: Ids;
  ledger: EventLog;
  listeners: IntentListeners;
  projectSettings: ProjectSettingsCache;
  tokens: Tokens;
}

/** A transaction that changes an intent and records the event. */
export type IntentTx = IntentReader & IntentWriter & AuditWriter & IdempotencyWriter & AfterCommit;

/** Dependencies of proof sessions. `Own` and `Tx` are the verifiers' dependencies. */
export type ProofDeps<Own, Tx> = IntentDeps<unknown, Tx> &
  Own & { proofVerifiers: Readonly<Record<ProofMethod, ProofVerifier<Own, Tx>>> };
