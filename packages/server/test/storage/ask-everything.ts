import type { Reader, Transaction } from '../../src/storage/nouns.ts';
import { at } from './conformance/samples.ts';

const FILTERS = [{}, { requesterId: 'agt_1' }];
const STATUSES = [{}, { status: 'pending' as const }, { status: 'resolved' as const }];
const PAGES = [{}, { beforeId: 'int_1' }];

/** Every read for which requests wait, or which reads tables that grow without limit. */
export async function askEverything(read: Reader): Promise<void> {
  await read.findCredential('hash');
  await read.findIntent('int_1');
  await read.findPermit('int_1', 'pmt_1');
  await read.findProject('prj_1');
  await read.findPolicy('prj_1');
  await read.listWaitingProposals('prj_1');
  await read.findUpstream('prj_1', 'ups_1');
  await read.findUpstreamByName('prj_1', 'tools');
  await read.findUpstreamTool('ups_1', 'read');
  await read.listOfferedTools('prj_1');
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
  await read.hasApproved('prj_1', 'deploy');
  await read.findLastApproved('prj_1', 'deploy');
  await read.findLastApproved('prj_1', 'deploy', 'int_1');
  const equal = { projectId: 'prj_1', action: 'deploy', paramsHash: 'sha256:aa' };
  await read.findLastApprovedEqual(equal, at(0));
  await read.findLastDenied(equal, at(0));
  await read.findIntentsWithText('prj_1', 'text', 0);
  await read.findAnswersWithText('text', 0);
  await read.findErasedReceipt(1);
  await read.countPoliciesWithText('prj_1', 'text');
  await read.findRetention('prj_1');
  await read.listUnsweptIntents('prj_1', 10);
  await read.listWaitingIntents('prj_1', at(0), 10);
  await read.findConnectorRequest('crq_1');
  await read.findConnectorRequestOf('int_1');
  await read.findWaitingConnectorRequest('key_1', 'mail.send', 'sha256:aa');
  await read.listExecutingRequests(10);
  await read.findConnectorRequestsWithText('prj_1', 'text', 0);
  for (const page of PAGES) await read.listMockRecords('prj_1', 'mail', { limit: 10, ...page });
  await read.findReceiptStatusRevision();
  await read.countReceiptIndexes();
  await read.hasReceipts(0, 10);
  await read.listReceiptIndexes(0, 10);
  await read.listRevokedReceipts(0, 10);
  await read.listReceiptsSignedBy('kid', 0, 10);
  await read.listInactiveAgents();
  await read.listReceiptsOfInactiveAgents(0, 10);
  await read.listDueIntents(at(0), 10);
  await read.listResolved(['int_1']);
  await read.findIntentPosition('int_1');
  await read.countIntents('prj_1', 'pending', 0, 10);
  await read.listOverviewIntents('prj_1', { from: 0, before: 10, length: 10 });
  await read.listExpiringIntents('prj_1', { after: { expiresAt: at(0), position: 0 }, length: 10 });
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
  for (const order of ['expiring', 'risk'] as const) {
    for (const page of [{}, { afterId: 'int_1' }]) {
      await read.listUrgentBriefs({ projectIds: ['prj_1'], order, limit: 10, ...page });
    }
  }
  await read.readParams(['int_1']);
  await read.countInbox(['prj_1'], 10);
  for (const page of PAGES) {
    await read.listKeys('prj_1', { limit: 10, ...page });
    await read.listUserTokens('usr_1', { limit: 10, ...page });
    await read.listAgents('prj_1', { limit: 10, ...page });
    await read.listAgentsOwnedBy('prj_1', 'usr_1');
    await read.listAgentsToWarnOf(at(0), 10);
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
  await read.findDeviceKey('thumbprint');
  await read.listDeviceKeys('usr_1');
  await read.findPairing('hash');
  await read.findPairingByUserCode('BCDFGHJK');
  await read.findProofSession('prf_1');
  await read.findReaderPosition('notifications', 'prj_1');
  await read.listProjectsBehind('notifications');
  await read.listDueDeliveries({ channel: 'mail', now: at(0), limit: 10 });
  await read.listDueDeliveries({ channel: 'mail', target: 'usr_1', now: at(0), limit: 10 });
  await read.findLastSentAt('mail', 'usr_1');
  await read.countWaitingFor('mail', 'usr_1', 100);
  await read.countUnlisted('mail', 'usr_1');
  await read.listNotifiedPeople('int_1');
  await read.listDueReminders(at(0), 10);
  await read.findPreferences('usr_1');
  await read.listPushSubscriptions('usr_1');
  await read.findPushSubscription('psh_1');
  await read.hasPushSubscriptions();
  await read.findChatHook('prj_1');
  await read.findPolicyProposal('prj_1', 'prp_1');
  await read.findWebhook('prj_1', 'whk_1');
  await read.listWebhooks('prj_1');
  await read.countWaitingFor('webhook', 'whk_1', 10);
  await read.listDueDeliveries({ channel: 'webhook', target: 'whk_1', now: at(0), limit: 10 });
  await read.listOverdueDeliveries('webhook', at(0), at(0), 10);
  await read.findDelivery('prj_1', 'whk_1', 'dlv_1');
  for (const page of PAGES) {
    for (const filter of [{}, { state: 'failed' as const }, { replayId: 'rpl_1' }]) {
      const listed = { projectId: 'prj_1', webhookId: 'whk_1', limit: 10, ...page, ...filter };
      await read.listDeliveries(listed);
    }
  }
  for (const page of [{}, { beforeId: 'prp_1' }]) {
    for (const status of [{}, { status: 'pending' as const }, { status: 'rejected' as const }]) {
      await read.listPolicyProposals('prj_1', { limit: 10, ...page, ...status });
    }
  }
  await read.findShadow('prj_1');
  for (const page of [{}, { before: 7 }]) await read.listShadowDivergences('prj_1', { limit: 10, ...page });
  await read.findChainHead('prj_1');
  await read.countUnsealedEvents('prj_1');
  await read.listUnsealedEvents('prj_1', 10);
  await read.listUnsealedEvents('prj_1', 10, 5);
  await read.findLastUnsealedPosition('prj_1');
  await read.listUnsealedProjects();
}

/**
 * Every change for which requests wait, or which gates make on their own when they claim and clean up. The named rows
 * need not exist.
 */
export async function changeEverything(tx: Transaction): Promise<void> {
  await tx.claimDueIntents(at(0), 10);
  await tx.expireIntent('int_1', at(0));
  await tx.consumeIntent('int_1', 'key_1', at(0));
  await tx.revokeIntent('int_1', at(0));
  await tx.reportOutcome('int_1', 'key_1', 'succeeded', at(0));
  await tx.touchAgents(['agt_1'], at(0));
  await tx.touchKeys(['key_1'], at(0));
  await tx.leaseDelivery(1, 'gate', at(0), at(9));
  await tx.releaseDelivery(1, 'gate', at(9));
  await tx.takeLease({ queue: 'mail', name: 'usr_1' }, 'gate', at(0), at(9));
  await tx.deleteDoneDeliveries('webhook', '2026-01-01T00:00:00.000Z', 10);
  await tx.deleteExpiredIdempotencyRecords('2026-01-01T00:00:00.000Z', 10);
  await tx.deleteExpiredPairings('2026-01-01T00:00:00.000Z', 10);
  await tx.pollPairing('par_1', at(0), at(0));
  await tx.takePairing('par_1', at(0));
  await tx.useDeviceKey('dvk_1', at(0));
  await tx.deleteOldSessions('2026-01-01T00:00:00.000Z', 10);
  await tx.deleteExpiredLinks('2026-01-01T00:00:00.000Z', 10);
  await tx.eraseNotificationsOfIntent('int_1');
  await tx.eraseApproverNames('int_1');
  await tx.eraseKeyNames('prj_1', 'usr_1');
}
