/**
 * What every database must do to keep the gate's promises. A dialect's test opens it and passes it here. Every
 * surprising behaviour of a database becomes a test here.
 */
import { afterEach, beforeEach, describe } from 'vitest';
import type { OpenStorage } from '../../../src/storage/storage.ts';
import { describeAgents } from './agents.ts';
import { describeAudit } from './audit.ts';
import { describeConnectorRequests } from './connector-requests.ts';
import { describeCredentials } from './credentials.ts';
import { describeDeviceKeys } from './device-keys.ts';
import { describeErasure } from './erasure.ts';
import { describeHeartbeats } from './heartbeats.ts';
import { describeIdempotency } from './idempotency.ts';
import { describeInbox } from './inbox.ts';
import { describeIntentLists } from './intent-lists.ts';
import { describeIntents } from './intents.ts';
import { describeKeysInDatabase } from './keys-in-database.ts';
import { describeLeases } from './leases.ts';
import { describeMandateUses } from './mandate-uses.ts';
import { describeNotifications } from './notifications.ts';
import { describeOverviewReads } from './overview.ts';
import { describePairings } from './pairings.ts';
import { describePasskeys } from './passkeys.ts';
import { describePeople } from './people.ts';
import { describePolicyProposals } from './policy-proposals.ts';
import { describeProjects } from './projects.ts';
import { describeProofSessions } from './proof-sessions.ts';
import { describeReceiptStatus } from './receipt-status.ts';
import { describeRestores } from './restores.ts';
import { aProject } from './samples.ts';
import { describeSessions } from './sessions.ts';
import { describeShadows } from './shadows.ts';
import { describeSignIn } from './sign-in.ts';
import { describeSignInCounts } from './sign-in-counts.ts';
import { describeSimulationReads } from './simulation.ts';
import { describeTransactions } from './transactions.ts';
import { describeUpstreams } from './upstreams.ts';
import { describeWebhooks } from './webhooks.ts';

/** The storage of the running case. The project `prj_1` already exists. */
export type CurrentStorage = () => OpenStorage;

/**
 * @param openStorage Opens an empty database, a new one on every call. The caller cleans it up.
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
    describeMandateUses(current);
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
