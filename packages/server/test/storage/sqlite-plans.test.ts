import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import type { Reader } from '../../src/gate/ports.ts';
import { at } from '../../src/storage/conformance/samples.ts';
import { openDatabase } from '../../src/storage/sqlite/open-database.ts';
import { createSqliteStorage } from '../../src/storage/sqlite/open-sqlite-storage.ts';

const FILTERS = [{}, { requesterId: 'agt_1' }];
const STATUSES = [{}, { status: 'pending' as const }, { status: 'resolved' as const }];
const PAGES = [{}, { beforeId: 'x' }];

/** What is asked while requests wait, or over tables that grow without end. */
async function askEverything(read: Reader): Promise<void> {
  await read.findCredential('hash');
  await read.findIntent('int_1');
  await read.findPermit('int_1', 'pmt_1');
  await read.findProject('prj_1');
  await read.findPolicy('prj_1');
  await read.listWaitingProposals('prj_1');
  await read.findAgent('prj_1', 'agt_1');
  await read.findAgentByName('prj_1', 'bot');
  await read.findUserByEmail('a@example.org');
  await read.findPassword('usr_1');
  await read.findTotp('usr_1');
  await read.countRecoveryCodes('usr_1');
  await read.findTicket('hash');
  await read.findLink('hash');
  await read.findIdentity('https://id.example', '42');
  await read.listIdentities('usr_1');
  await read.findInvitationByToken('hash');
  await read.listInvitationsTo('a@example.org');
  await read.listInvitations('prj_1', { limit: 10 });
  await read.findIdempotencyRecord('scope', 'key', at(0));
  await read.findNextExpiry();
  await read.findAskedAgain('int_1');
  await read.findLastApproved('prj_1', 'deploy');
  await read.findLastApproved('prj_1', 'deploy', 'int_1');
  await read.findIntentsWithText('prj_1', 'text', 0);
  await read.findAnswersWithText('text', 0);
  await read.findErasedReceipt(1);
  await read.countPoliciesWithText('prj_1', 'text');
  await read.findRetention('prj_1');
  await read.listUnsweptIntents('prj_1', 10);
  await read.listWaitingIntents('prj_1', at(0), 10);
  await read.findReceiptStatusRevision();
  await read.countReceiptIndexes();
  await read.hasReceipts(0, 10);
  await read.listReceiptIndexes(0, 10);
  await read.listRevokedReceipts(0, 10);
  await read.listReceiptsSignedBy('kid', 0, 10);
  await read.listHeldAgents();
  await read.listReceiptsOfHeldAgents(0, 10);
  await read.listDueIntents(at(0), 10);
  await read.findIntentPlace('int_1');
  await read.countIntents('prj_1', 'pending', 0, 10);
  await read.listOverviewIntents('prj_1', { from: 0, before: 10, length: 10 });
  await read.listExpiringIntents('prj_1', { after: { expiresAt: at(0), place: 0 }, length: 10 });
  for (const filter of FILTERS) {
    for (const status of STATUSES) {
      for (const page of PAGES) {
        await read.listIntents({ projectIds: ['prj_1'], limit: 10, ...filter, ...status, ...page });
      }
    }
  }
  for (const status of ['pending', 'denied', 'resolved'] as const) {
    for (const time of [{}, { from: at(0), to: at(9) }]) {
      for (const page of PAGES) {
        await read.listIntentBriefs({ projectIds: ['prj_1'], status, limit: 10, ...time, ...page });
      }
    }
  }
  await read.countInbox(['prj_1'], 10);
  for (const page of PAGES) {
    await read.listKeys('prj_1', { limit: 10, ...page });
    await read.listUserTokens('usr_1', { limit: 10, ...page });
    await read.listAgents('prj_1', { limit: 10, ...page });
  }
  for (const order of ['asc', 'desc'] as const) {
    for (const filter of [{}, { intentId: 'int_1' }, { afterSeq: 3 }]) {
      await read.listSealedEvents({ projectId: 'prj_1', order, limit: 10, ...filter });
    }
  }
  for (const status of STATUSES) {
    await read.countPastIntents('prj_1', status.status);
    for (const after of [null, 7]) {
      await read.listPastIntents('prj_1', { ...status, after, length: 10 });
    }
  }
  await read.findPasskey('credential');
  await read.listPasskeys('usr_1');
  await read.findProofSession('prf_1');
  await read.findReaderPlace('notifications', 'prj_1');
  await read.listDueNotifications('mail', at(0), 10);
  await read.listDueFor('mail', 'usr_1', at(0), 10);
  await read.findLastSentAt('mail', 'usr_1');
  await read.countWaitingFor('mail', 'usr_1');
  await read.countUnlisted('mail', 'usr_1');
  await read.listToldPeople('int_1');
  await read.listDueReminders(at(0), 10);
  await read.findPreferences('usr_1');
  await read.listPushSubscriptions('usr_1');
  await read.findPushSubscription('psh_1');
  await read.hasPushSubscriptions();
  await read.findChatHook('prj_1');
  await read.findPolicyProposal('prj_1', 'prp_1');
  for (const page of [{}, { beforeId: 'prp_1' }]) {
    for (const status of [{}, { status: 'pending' as const }, { status: 'rejected' as const }]) {
      await read.listPolicyProposals('prj_1', { limit: 10, ...page, ...status });
    }
  }
  await read.findShadow('prj_1');
  for (const page of [{}, { before: 7 }]) await read.listShadowDivergences('prj_1', { limit: 10, ...page });
  await read.findChainHead('prj_1');
  await read.countUnsealedEvents('prj_1');
  await read.listUnsealedEvents('prj_1', 5, 10);
  await read.listUnsealedProjects();
}

it('walks an index for every question, and sorts nothing', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'permitry-plans-'));
  const connections = openDatabase(directory);
  const prepare = vi.spyOn(connections.reader, 'prepare');
  const storage = createSqliteStorage(connections);
  await askEverything(storage.read);

  const queries = prepare.mock.calls.map(([sql]) => sql);
  expect(queries.length).toBeGreaterThan(25);
  const slow = queries.flatMap((sql) => {
    const plan = connections.writer.prepare(`explain query plan ${sql}`).all();
    const steps = plan.map((step) => String(step.detail));
    // To walk a whole index is right where it holds only what is asked for, the pending; projects are few. A simulation
    // reads every intent there is, along the table itself.
    const bad = steps.filter((step) =>
      /TEMP B-TREE|^SCAN (?!intents USING COVERING INDEX intents_by_expiry|projects USING COVERING INDEX|intents$)/.test(
        step,
      ),
    );
    return bad.length > 0 ? [{ sql, steps }] : [];
  });
  expect(slow).toEqual([]);

  await storage.close();
  rmSync(directory, { recursive: true, force: true });
});

it('makes a status list from the receipts of its range alone, however many intents a held agent has made', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'permitry-plans-'));
  const connections = openDatabase(directory);
  const prepare = vi.spyOn(connections.reader, 'prepare');
  const { read, close } = createSqliteStorage(connections);
  await read.hasReceipts(0, 10);
  await read.listReceiptIndexes(0, 10);
  await read.listRevokedReceipts(0, 10);
  await read.listReceiptsOfHeldAgents(0, 10);

  const walks = prepare.mock.calls.flatMap(([sql]) =>
    connections.writer
      .prepare(`explain query plan ${sql}`)
      .all()
      .map((step) => String(step.detail))
      .filter((detail) => detail.includes(' intents ')),
  );
  expect(walks).toHaveLength(4);
  for (const walk of walks) expect(walk).toMatch(/INDEX intents_(by_receipt|revoked) \(receipt_index>/);

  await close();
  rmSync(directory, { recursive: true, force: true });
});
