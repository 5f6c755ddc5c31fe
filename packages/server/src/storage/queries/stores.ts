/** Combines the nouns into everything that the gate needs of a storage, over any one connection. */

import type { AfterCommit } from '../../gate/kernel/storage.ts';
import type { Transaction } from '../nouns.ts';
import type { OverRunner, QueryRunner } from '../sql/prepared-query.ts';
import { agentQueries } from './agents.ts';
import { approvalQueries } from './approvals.ts';
import { auditQueries } from './audit.ts';
import { connectorRequestQueries } from './connector-requests.ts';
import { credentialQueries } from './credentials.ts';
import { outboxQueries } from './deliveries.ts';
import { deviceKeyQueries } from './device-keys.ts';
import { erasureQueries } from './erasure.ts';
import { erasureReads } from './erasure-reads.ts';
import { heartbeatQueries } from './heartbeats.ts';
import { idempotencyQueries } from './idempotency.ts';
import { identityQueries } from './identities.ts';
import { inboxQueries } from './inbox.ts';
import { installationQueries } from './installation.ts';
import { intentTransitions } from './intent-transitions.ts';
import { intentQueries } from './intents.ts';
import { invitationQueries } from './invitations.ts';
import { leaseQueries } from './leases.ts';
import { logReaderQueries } from './log-readers.ts';
import { mandateUseQueries } from './mandate-uses.ts';
import { mockRecordQueries } from './mock-records.ts';
import { notificationSettingQueries } from './notification-settings.ts';
import { notificationQueries } from './notifications.ts';
import { overviewQueries } from './overview.ts';
import { pairingQueries } from './pairings.ts';
import { passkeyQueries } from './passkeys.ts';
import { peopleQueries } from './people.ts';
import { proposalQueries } from './policy-proposals.ts';
import { projectQueries } from './projects.ts';
import { proofQueries } from './proof-sessions.ts';
import { receiptStatusQueries } from './receipt-status.ts';
import { restoreQueries } from './restores.ts';
import { retentionQueries } from './retention.ts';
import { sealQueries } from './seals.ts';
import { sessionQueries } from './sessions.ts';
import { shadowQueries } from './shadows.ts';
import { signInQueries } from './sign-in.ts';
import { signInCountQueries } from './sign-in-counts.ts';
import { signingKeyQueries } from './signing-keys.ts';
import { simulationQueries } from './simulation.ts';
import { unfinishedErasureQueries } from './unfinished-erasures.ts';
import { upstreamQueries } from './upstreams.ts';
import { webhookDeliveryQueries } from './webhook-deliveries.ts';
import { webhookQueries } from './webhooks.ts';

/**
 * The methods of one connection. A connection that cannot write offers only those of `Reader`; a transaction adds hooks
 * for its end.
 */
export type Store = Omit<Transaction, keyof AfterCommit>;

type StoreOver = new (run: QueryRunner) => Store;

export type Queries = OverRunner<Store>;

const QUERIES: Queries = {
  ...agentQueries,
  ...approvalQueries,
  ...auditQueries,
  ...connectorRequestQueries,
  ...credentialQueries,
  ...deviceKeyQueries,
  ...erasureQueries,
  ...erasureReads,
  ...heartbeatQueries,
  ...idempotencyQueries,
  ...identityQueries,
  ...inboxQueries,
  ...installationQueries,
  ...intentQueries,
  ...intentTransitions,
  ...invitationQueries,
  ...leaseQueries,
  ...logReaderQueries,
  ...mandateUseQueries,
  ...mockRecordQueries,
  ...notificationQueries,
  ...notificationSettingQueries,
  ...outboxQueries,
  ...overviewQueries,
  ...pairingQueries,
  ...passkeyQueries,
  ...peopleQueries,
  ...projectQueries,
  ...proofQueries,
  ...proposalQueries,
  ...receiptStatusQueries,
  ...restoreQueries,
  ...retentionQueries,
  ...sealQueries,
  ...sessionQueries,
  ...shadowQueries,
  ...signInCountQueries,
  ...signingKeyQueries,
  ...signInQueries,
  ...simulationQueries,
  ...unfinishedErasureQueries,
  ...upstreamQueries,
  ...webhookDeliveryQueries,
  ...webhookQueries,
};

/**
 * Turns functions whose first argument is a connection into a class whose instances hold the connection. Instances are
 * cheap to create.
 *
 * @param own Replacements for one dialect.
 * @param over Sees every query before the connection does.
 */
export function storeWith(own: Partial<Queries> = {}, over = (run: QueryRunner) => run): StoreOver {
  class OverConnection {
    readonly run: QueryRunner;

    constructor(run: QueryRunner) {
      this.run = over(run);
    }
  }
  type Method = (run: QueryRunner, ...args: never[]) => unknown;
  for (const [name, method] of Object.entries<Method>({ ...QUERIES, ...own })) {
    Object.defineProperty(OverConnection.prototype, name, {
      value(this: OverConnection, ...args: never[]) {
        return method(this.run, ...args);
      },
    });
  }
  return OverConnection as unknown as StoreOver;
}

export const SqlStore = storeWith();
