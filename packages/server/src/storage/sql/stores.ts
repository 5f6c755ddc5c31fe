/** Puts the nouns together into what the gate asks of a storage, over any one connection. */
import type { Reader, Transaction } from '../../gate/ports.ts';
import { agentReads, agentWrites } from './agents.ts';
import { approvalReads, approvalWrites } from './approvals.ts';
import { auditReads, auditWrites } from './audit.ts';
import { credentialReads, credentialWrites } from './credentials.ts';
import { erasureReads, erasureWrites } from './erasure.ts';
import { idempotencyReads, idempotencyWrites } from './idempotency.ts';
import { identityReads, identityWrites } from './identities.ts';
import { inboxReads } from './inbox.ts';
import { intentWrites } from './intent-transitions.ts';
import { intentReads } from './intents.ts';
import { invitationReads, invitationWrites } from './invitations.ts';
import { notificationReads, notificationWrites } from './notifications.ts';
import { overviewReads } from './overview.ts';
import { passkeyReads, passkeyWrites } from './passkeys.ts';
import { peopleReads, peopleWrites } from './people.ts';
import { proposalReads, proposalWrites } from './policy-proposals.ts';
import type { OverRunner, QueryRunner } from './prepared-query.ts';
import { projectReads, projectWrites } from './projects.ts';
import { proofReads, proofWrites } from './proof-sessions.ts';
import { receiptStatusReads, receiptStatusWrites } from './receipt-status.ts';
import { restoreReads, restoreWrites } from './restores.ts';
import { retentionReads, retentionWrites } from './retention.ts';
import { sessionReads, sessionWrites } from './sessions.ts';
import { shadowReads, shadowWrites } from './shadows.ts';
import { signInReads, signInWrites } from './sign-in.ts';
import { simulationReads } from './simulation.ts';
import { toldPeopleReads, toldPeopleWrites } from './told-people.ts';

const reads: OverRunner<Reader> = {
  ...agentReads,
  ...approvalReads,
  ...auditReads,
  ...credentialReads,
  ...erasureReads,
  ...idempotencyReads,
  ...inboxReads,
  ...identityReads,
  ...intentReads,
  ...invitationReads,
  ...overviewReads,
  ...passkeyReads,
  ...notificationReads,
  ...peopleReads,
  ...projectReads,
  ...proofReads,
  ...proposalReads,
  ...restoreReads,
  ...retentionReads,
  ...receiptStatusReads,
  ...sessionReads,
  ...signInReads,
  ...simulationReads,
  ...toldPeopleReads,
  ...shadowReads,
};

const writes: OverRunner<Omit<Transaction, 'afterCommit'>> = {
  ...reads,
  ...agentWrites,
  ...approvalWrites,
  ...auditWrites,
  ...credentialWrites,
  ...erasureWrites,
  ...idempotencyWrites,
  ...identityWrites,
  ...intentWrites,
  ...invitationWrites,
  ...passkeyWrites,
  ...notificationWrites,
  ...toldPeopleWrites,
  ...peopleWrites,
  ...projectWrites,
  ...proofWrites,
  ...proposalWrites,
  ...sessionWrites,
  ...shadowWrites,
  ...signInWrites,
  ...restoreWrites,
  ...retentionWrites,
  ...receiptStatusWrites,
};

/** Makes, of functions that take a connection first, a class whose instances hold the connection: cheap to make. */
function overConnection<T>(methods: OverRunner<T>): new (run: QueryRunner) => T {
  class Store {
    readonly run: QueryRunner;

    constructor(run: QueryRunner) {
      this.run = run;
    }
  }
  for (const [name, method] of Object.entries<(run: QueryRunner, ...args: unknown[]) => unknown>(methods)) {
    Object.defineProperty(Store.prototype, name, {
      value(this: Store, ...args: unknown[]) {
        return method(this.run, ...args);
      },
    });
  }
  return Store as new (
    run: QueryRunner,
  ) => T;
}

/** Everything that can be read, over one connection. */
export const SqlReader = overConnection(reads);

/** Everything that can be read and written, over one connection. Whoever opens the transaction adds `afterCommit`. */
export const SqlWriter = overConnection(writes);
