/**
 * What any database must do to keep the gate's word. A dialect's test opens it and hands it here; every surprise that
 * a database gave becomes a case.
 */
import { afterEach, beforeEach, describe } from 'vitest';
import { describeAgents } from './conformance/agents.ts';
import { describeAudit } from './conformance/audit.ts';
import { describeConnectorRequests } from './conformance/connector-requests.ts';
import { describeCredentials } from './conformance/credentials.ts';
import { describeDeviceKeys } from './conformance/device-keys.ts';
import { describeErasure } from './conformance/erasure.ts';
import { describeHeartbeats } from './conformance/heartbeats.ts';
import { describeIdempotency } from './conformance/idempotency.ts';
import { describeInbox } from './conformance/inbox.ts';
import { describeIntentLists } from './conformance/intent-lists.ts';
import { describeIntents } from './conformance/intents.ts';
import { describeKeysInDatabase } from './conformance/keys-in-database.ts';
import { describeLeases } from './conformance/leases.ts';
import { describeNotifications } from './conformance/notifications.ts';
import { describeOverviewReads } from './conformance/overview.ts';
import { describePairings } from './conformance/pairings.ts';
import { describePasskeys } from './conformance/passkeys.ts';
import { describePeople } from './conformance/people.ts';
import { describePolicyProposals } from './conformance/policy-proposals.ts';
import { describeProjects } from './conformance/projects.ts';
import { describeProofSessions } from './conformance/proof-sessions.ts';
import { describeReceiptStatus } from './conformance/receipt-status.ts';
import { describeRestores } from './conformance/restores.ts';
import { aProject } from './conformance/samples.ts';
import { describeSessions } from './conformance/sessions.ts';
import { describeShadows } from './conformance/shadows.ts';
import { describeSignIn } from './conformance/sign-in.ts';
import { describeSignInCounts } from './conformance/sign-in-counts.ts';
import { describeSimulationReads } from './conformance/simulation.ts';
import { describeTransactions } from './conformance/transactions.ts';
import { describeUpstreams } from './conformance/upstreams.ts';
import { describeWebhooks } from './conformance/webhooks.ts';
import type { OpenStorage } from './storage.ts';

/** The storage of the running case; the project `prj_1` is there already. */
export type CurrentStorage = () => OpenStorage;

/**
 * @param openStorage opens an empty database, another one on every call; whoever gives it clears it away.
 * @example describeStorage('SQLite', () => openSqliteStorage({ directory: mkdtempSync(stem) }));
 */
export function describeStorage(name: string, openStorage: () => Promise<OpenStorage>): void {
  describe(name, () => {
    let storage: OpenStorage | undefined;
    beforeEach(async () => {
      storage = await openStorage();
      await storage.transaction((tx) => tx.insertProject(aProject()));
    });
    afterEach(async () => {
      await storage?.close();
      storage = undefined;
    });
    const current: CurrentStorage = () => {
      if (!storage) throw new Error('no storage is open outside a case');
      return storage;
    };

    describeTransactions(current);
    describeProjects(current);
    describePeople(current);
    describeSignIn(current);
    describeAgents(current);
    describeCredentials(current);
    describeIntents(current);
    describeIntentLists(current);
    describeInbox(current);
    describeOverviewReads(current);
    describeReceiptStatus(current);
    describeErasure(current);
    describeAudit(current);
    describeSimulationReads(current);
    describeSessions(current);
    describeSignInCounts(current);
    describeShadows(current);
    describeLeases(current);
    describeHeartbeats(current);
    describeNotifications(current);
    describePolicyProposals(current);
    describeUpstreams(current);
    describeWebhooks(current);
    describePasskeys(current);
    describeDeviceKeys(current);
    describePairings(current);
    describeProofSessions(current);
    describeConnectorRequests(current);
    describeIdempotency(current);
    describeRestores(current);
    describeKeysInDatabase(current);
  });
}
