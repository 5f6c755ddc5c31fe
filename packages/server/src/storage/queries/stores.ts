/** Puts the nouns together into what the gate asks of a storage, over any one connection. */

import type { AfterCommit } from '../../gate/kernel/storage.ts';
import type { Reader, Transaction } from '../nouns.ts';
import type { OverRunner, QueryRunner } from '../sql/prepared-query.ts';
import { agentReads, agentWrites } from './agents.ts';
import { approvalReads, approvalWrites } from './approvals.ts';
import { auditReads, auditWrites } from './audit.ts';
import { connectorRequestReads, connectorRequestWrites } from './connector-requests.ts';
import { credentialReads, credentialWrites } from './credentials.ts';
import { deliveryTransitions } from './delivery-transitions.ts';
import { deviceKeyReads, deviceKeyWrites } from './device-keys.ts';
import { erasureWrites } from './erasure.ts';
import { erasureReads } from './erasure-reads.ts';
import { heartbeatReads, heartbeatWrites } from './heartbeats.ts';
import { idempotencyReads, idempotencyWrites } from './idempotency.ts';
import { identityReads, identityWrites } from './identities.ts';
import { inboxReads } from './inbox.ts';
import { installationReads, installationWrites } from './installation.ts';
import { intentWrites } from './intent-transitions.ts';
import { intentReads } from './intents.ts';
import { invitationReads, invitationWrites } from './invitations.ts';
import { leaseWrites } from './leases.ts';
import { logReaderReads, logReaderWrites } from './log-readers.ts';
import { mockRecordReads, mockRecordWrites } from './mock-records.ts';
import { notificationSettingReads, notificationSettingWrites } from './notification-settings.ts';
import { notificationReads, notificationWrites } from './notifications.ts';
import { overviewReads } from './overview.ts';
import { pairingReads, pairingWrites } from './pairings.ts';
import { passkeyReads, passkeyWrites } from './passkeys.ts';
import { peopleReads, peopleWrites } from './people.ts';
import { proposalReads, proposalWrites } from './policy-proposals.ts';
import { projectReads, projectWrites } from './projects.ts';
import { proofReads, proofWrites } from './proof-sessions.ts';
import { receiptStatusReads, receiptStatusWrites } from './receipt-status.ts';
import { restoreReads, restoreWrites } from './restores.ts';
import { retentionReads, retentionWrites } from './retention.ts';
import { sealReads, sealWrites } from './seals.ts';
import { sessionReads, sessionWrites } from './sessions.ts';
import { shadowReads, shadowWrites } from './shadows.ts';
import { signInReads, signInWrites } from './sign-in.ts';
import { signInCountReads, signInCountWrites } from './sign-in-counts.ts';
import { signingKeyReads, signingKeyWrites } from './signing-keys.ts';
import { simulationReads } from './simulation.ts';
import { unfinishedErasureReads, unfinishedErasureWrites } from './unfinished-erasures.ts';
import { upstreamReads, upstreamWrites } from './upstreams.ts';
import { deliveryReads, deliveryWrites } from './webhook-deliveries.ts';
import { webhookReads, webhookWrites } from './webhooks.ts';

type Reads = OverRunner<Reader>;
type Writes = OverRunner<Omit<Transaction, keyof AfterCommit>>;

const reads: Reads = {
  ...agentReads,
  ...approvalReads,
  ...auditReads,
  ...sealReads,
  ...connectorRequestReads,
  ...mockRecordReads,
  ...credentialReads,
  ...deviceKeyReads,
  ...erasureReads,
  ...heartbeatReads,
  ...idempotencyReads,
  ...inboxReads,
  ...identityReads,
  ...intentReads,
  ...invitationReads,
  ...overviewReads,
  ...pairingReads,
  ...passkeyReads,
  ...logReaderReads,
  ...notificationReads,
  ...peopleReads,
  ...projectReads,
  ...proofReads,
  ...proposalReads,
  ...restoreReads,
  ...retentionReads,
  ...receiptStatusReads,
  ...sessionReads,
  ...signInCountReads,
  ...signInReads,
  ...simulationReads,
  ...installationReads,
  ...signingKeyReads,
  ...notificationSettingReads,
  ...shadowReads,
  ...unfinishedErasureReads,
  ...upstreamReads,
  ...webhookReads,
  ...deliveryReads,
};

const writes: Writes = {
  ...reads,
  ...agentWrites,
  ...approvalWrites,
  ...auditWrites,
  ...sealWrites,
  ...connectorRequestWrites,
  ...mockRecordWrites,
  ...credentialWrites,
  ...deviceKeyWrites,
  ...erasureWrites,
  ...heartbeatWrites,
  ...idempotencyWrites,
  ...identityWrites,
  ...intentWrites,
  ...invitationWrites,
  ...leaseWrites,
  ...pairingWrites,
  ...passkeyWrites,
  ...logReaderWrites,
  ...notificationWrites,
  ...notificationSettingWrites,
  ...peopleWrites,
  ...projectWrites,
  ...proofWrites,
  ...proposalWrites,
  ...sessionWrites,
  ...shadowWrites,
  ...signInCountWrites,
  ...signInWrites,
  ...restoreWrites,
  ...retentionWrites,
  ...receiptStatusWrites,
  ...installationWrites,
  ...signingKeyWrites,
  ...unfinishedErasureWrites,
  ...upstreamWrites,
  ...webhookWrites,
  ...deliveryWrites,
  ...deliveryTransitions,
};

/** Makes, of functions that take a connection first, a class whose instances hold the connection: cheap to make. */
function overConnection<T>(
  methods: OverRunner<T>,
  over: Overrides['over'] = (run) => run,
): new (
  run: QueryRunner,
) => T {
  class Store {
    readonly run: QueryRunner;

    constructor(run: QueryRunner) {
      this.run = over(run);
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

/** Everything that can be read and written, over one connection. Whoever opens the transaction adds what happens at its end. */
export const SqlWriter = overConnection(writes);

/** What a dialect does in its own way. */
export interface Overrides {
  reads: Partial<Reads>;
  writes: Partial<Omit<Writes, keyof Reads>>;
  /** Looks at every query before the connection has it. */
  over?: (run: QueryRunner) => QueryRunner;
}

/** `SqlReader` and `SqlWriter` of a dialect. */
export function storesWith({ reads: ownReads, writes: ownWrites, over }: Overrides) {
  return {
    Reader: overConnection<Reader>({ ...reads, ...ownReads }, over),
    Writer: overConnection<Omit<Transaction, keyof AfterCommit>>(
      { ...writes, ...ownReads, ...ownWrites },
      over,
    ),
  };
}
