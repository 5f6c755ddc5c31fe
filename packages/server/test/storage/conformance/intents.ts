import { describe, expect, it } from 'vitest';
import type { Intent } from '../../../src/gate/intents/intent.ts';
import type { Transaction } from '../../../src/storage/nouns.ts';
import type { CurrentStorage } from './conformance.ts';
import {
  aDenial,
  anApproval,
  anIntent,
  aPermit,
  aPermitToken,
  aReceipt,
  at,
  aVote,
  LONG_TEXT,
  ODD,
  ODD_TEXT,
} from './samples.ts';

/** Both hashes begin with the same characters, as many as an index stores. */
const HASH = `sha256:${'0'.repeat(12)}${'1'.repeat(52)}`;
const TWIN = `sha256:${'0'.repeat(12)}${'2'.repeat(52)}`;

export function describeIntents(storage: CurrentStorage): void {
  const insert = (...intents: Intent[]) =>
    storage().transaction(async (tx) => {
      for (const intent of intents) await tx.insertIntent(intent);
    });
  const write = <T>(work: (tx: Transaction) => Promise<T>) => storage().transaction(work);
  const find = (id = 'int_1') => storage().read.findIntent(id);

  describe('intents', () => {
    it('keep every field while pending, whatever their texts', async () => {
      const odd = anIntent('int_1', {
        action: 'a:b/c.d-e_f',
        params: { ...ODD, long: LONG_TEXT },
        metadata: ODD,
        source: ODD_TEXT,
        sourceType: 'human',
        requester: { type: 'key', id: 'key_1', display: ODD_TEXT, ownerId: 'usr_1' },
        agentId: null,
        requestedProofTier: 'device',
        proofTier: 'passkey',
        approvers: ['finance', ODD_TEXT],
        minApprovals: 2,
        rule: ODD_TEXT,
        requirement: [
          { from: ['finance', 'role:admin'], count: 2 },
          { from: [], count: 1 },
        ],
        approvalsRequired: 3,
        reason: ODD_TEXT,
      });
      await insert(odd);
      expect(await find()).toEqual(odd);
    });

    it('keep their permit and receipt when they are approved at creation', async () => {
      const approved = anIntent('int_1', {
        decision: 'auto_approve',
        status: 'approved',
        resolvedAt: at(0),
        resolvedBy: 'policy:free',
        approvedBy: 'policy:free',
        approvedAt: at(0),
        approvals: [{ by: 'policy:free', at: at(0), method: 'policy' }],
        permit: aPermit('pmt_1', { token: aPermitToken({ ...ODD, long: LONG_TEXT }) }),
        receipt: aReceipt('int_1'),
        receiptIndex: 0,
      });
      await insert(approved);
      expect(await find()).toEqual(approved);
      expect(JSON.stringify((await find())?.receipt)).toBe(JSON.stringify(approved.receipt));
      expect(await storage().read.findPermit('int_1', 'pmt_1')).toEqual(
        aPermit('pmt_1', { token: aPermitToken({ ...ODD, long: LONG_TEXT }) }),
      );
    });

    it('are refused if they are approved without a permit, or if their project does not exist', async () => {
      await expect(insert(anIntent('int_1', { status: 'approved' }))).rejects.toThrow();
      await expect(insert(anIntent('int_1', { projectId: 'prj_9' }))).rejects.toThrow();
      expect(await find()).toBeUndefined();
    });

    it('are refused under an ID that is taken', async () => {
      await insert(anIntent('int_1'));
      await expect(insert(anIntent('int_1', { action: 'other' }))).rejects.toMatchObject({
        code: 'conflict',
      });
      expect(await find()).toEqual(anIntent('int_1'));
    });

    it('count a vote that leaves them pending, but only at the revision that was read and before their expiry', async () => {
      await insert(anIntent('int_1'), anIntent('int_2'));
      const approvals = [{ by: 'ann@example.org', at: at(1), method: 'token' as const }];
      const touch = (revision: number, when: string) =>
        write((tx) => tx.touchIntent('int_1', revision, when, { received: 1, required: 2, approvals }));
      expect(await touch(2, at(1))).toBe(false);
      expect(await touch(1, at(3600))).toBe(false);
      expect(await touch(1, at(3599))).toBe(true);
      expect(await touch(1, at(1))).toBe(false);
      expect(await find()).toEqual(
        anIntent('int_1', { revision: 2, approvalsReceived: 1, approvalsRequired: 2, approvals }),
      );
      expect(await find('int_2')).toEqual(anIntent('int_2'));
    });

    it('are approved with a permit and a receipt', async () => {
      await insert(anIntent('int_1'), anIntent('int_2'));
      expect(await write((tx) => tx.resolveIntent('int_1', 1, anApproval('int_1', 'pmt_1')))).toBe(true);
      expect(await find()).toEqual(
        anIntent('int_1', {
          status: 'approved',
          approvalsReceived: 1,
          revision: 2,
          resolvedAt: at(10),
          resolvedBy: 'ann@example.org',
          reason: 'ticket 17',
          approvedBy: 'ann@example.org',
          approvedAt: at(10),
          approvals: [{ by: 'ann@example.org', at: at(10), method: 'session' }],
          permit: aPermit('pmt_1'),
          receipt: aReceipt('int_1'),
          receiptIndex: 7,
        }),
      );
      expect(await find('int_2')).toEqual(anIntent('int_2'));
    });

    it('are denied without a permit and a receipt', async () => {
      await insert(anIntent('int_1'));
      expect(await write((tx) => tx.resolveIntent('int_1', 1, aDenial()))).toBe(true);
      expect(await find()).toEqual(
        anIntent('int_1', {
          status: 'denied',
          revision: 2,
          resolvedAt: at(10),
          resolvedBy: 'ben@example.org',
          reason: 'no',
        }),
      );
    });

    it('are resolved only while pending, unchanged since they were read, and before their expiry', async () => {
      await insert(anIntent('int_1'));
      const resolve = (revision: number, seconds: number) =>
        write((tx) => tx.resolveIntent('int_1', revision, anApproval('int_1', 'pmt_1', seconds)));
      expect(await resolve(2, 10)).toBe(false);
      expect(await resolve(1, 3600)).toBe(false);
      expect(await write((tx) => tx.resolveIntent('int_9', 1, aDenial()))).toBe(false);
      expect(await storage().read.findPermit('int_1', 'pmt_1')).toBeUndefined();
      expect(await find()).toEqual(anIntent('int_1'));

      expect(await write((tx) => tx.resolveIntent('int_1', 1, aDenial()))).toBe(true);
      const denied = await find();
      expect(await resolve(1, 10)).toBe(false);
      expect(await resolve(2, 10)).toBe(false);
      expect(await write((tx) => tx.expireIntent('int_1', at(4000)))).toBe(false);
      expect(await find()).toEqual(denied);
    });

    it('are neither approved without a permit nor denied with one', async () => {
      await insert(anIntent('int_1'));
      const { issued } = anApproval('int_1', 'pmt_1');
      await expect(
        write((tx) => tx.resolveIntent('int_1', 1, { ...aDenial(), status: 'approved' })),
      ).rejects.toThrow();
      await expect(write((tx) => tx.resolveIntent('int_1', 1, { ...aDenial(), issued }))).rejects.toThrow();
      expect(await find()).toEqual(anIntent('int_1'));
    });

    it('are resolved once, however many try at once', async () => {
      await insert(anIntent('int_1'));
      const tries = await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          write((tx) => {
            if (index % 4 === 3) return tx.expireIntent('int_1', at(10));
            const resolution = index % 2 ? anApproval('int_1', `pmt_${index}`) : aDenial();
            return tx.resolveIntent('int_1', 1, resolution);
          }),
        ),
      );
      expect(tries.filter((won) => won)).toHaveLength(1);
      expect((await find())?.revision).toBe(2);
    });

    it('are recorded as expired at their expiry, not at the time when it is noticed', async () => {
      await insert(anIntent('int_1'));
      const expire = (when: string) => write((tx) => tx.expireIntent('int_1', when));
      expect(await expire(at(3599))).toBe(false);
      expect(await expire(at(9999))).toBe(true);
      expect(await expire(at(9999))).toBe(false);
      expect(await find()).toEqual(
        anIntent('int_1', { status: 'expired', revision: 2, resolvedAt: at(3600) }),
      );
    });
  });

  describe('permits', () => {
    const approve = async () => {
      await insert(anIntent('int_1'));
      await write((tx) => tx.resolveIntent('int_1', 1, anApproval('int_1', 'pmt_1')));
    };
    const renew = (revision: number, permit = aPermit('pmt_2', { issuedAt: at(20) })) =>
      write((tx) => tx.replacePermit('int_1', revision, permit));

    it('are replaced by a fresh permit, and can still be found', async () => {
      await approve();
      expect(await renew(1)).toBe(false);
      expect(await renew(2)).toBe(true);
      expect(await renew(2, aPermit('pmt_3'))).toBe(false);
      expect(await find()).toMatchObject({ revision: 3, permit: aPermit('pmt_2', { issuedAt: at(20) }) });
      expect(await storage().read.findPermit('int_1', 'pmt_1')).toEqual(aPermit('pmt_1'));
      expect(await storage().read.findPermit('int_1', 'pmt_2')).toMatchObject({ id: 'pmt_2' });
      expect(await storage().read.findPermit('int_1', 'pmt_3')).toBeUndefined();
      await insert(anIntent('int_2'));
      for (const id of ['pmt_1', 'pmt_2']) {
        expect(await storage().read.findPermit('int_2', id)).toBeUndefined();
      }
    });

    it("are not renewed after the intent's expiry, nor after a use, a revocation or a denial", async () => {
      await approve();
      expect(await renew(2, aPermit('pmt_2', { issuedAt: at(3600) }))).toBe(false);
      await write((tx) => tx.consumeIntent('int_1', 'key_1', at(30)));
      expect(await renew(3)).toBe(false);

      await insert(anIntent('int_2'), anIntent('int_3'));
      await write((tx) => tx.resolveIntent('int_2', 1, anApproval('int_2', 'pmt_5')));
      await write((tx) => tx.revokeIntent('int_2', at(30)));
      await write((tx) => tx.resolveIntent('int_3', 1, aDenial()));
      expect(await write((tx) => tx.replacePermit('int_2', 3, aPermit('pmt_6')))).toBe(false);
      expect(await write((tx) => tx.replacePermit('int_3', 2, aPermit('pmt_6')))).toBe(false);
      expect(await storage().read.findPermit('int_2', 'pmt_6')).toBeUndefined();
    });

    it('are consumed by one caller, however many try at once', async () => {
      await approve();
      const tries = await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          write((tx) => tx.consumeIntent('int_1', `key_${index}`, at(30))),
        ),
      );
      expect(tries.filter((won) => won)).toHaveLength(1);
      expect(await find()).toMatchObject({
        consumedAt: at(30),
        consumedBy: `key_${tries.indexOf(true)}`,
        revision: 3,
      });
    });

    it('can have only the last use undone, by its own caller, before any outcome', async () => {
      await approve();
      const consume = () => write((tx) => tx.consumeIntent('int_1', 'crq_1', at(30)));
      const release = (revision: number, by = 'crq_1') =>
        write((tx) => tx.releaseIntent('int_1', by, revision));
      expect(await release(2)).toBe(false);
      await consume();
      expect([await release(3, 'crq_2'), await release(2)]).toEqual([false, false]);
      expect(await find()).toMatchObject({ consumedBy: 'crq_1', consumedAt: at(30), revision: 3 });
      expect(await release(3)).toBe(true);
      expect(await find()).toMatchObject({ consumedBy: null, consumedAt: null, revision: 4 });
      // The same request uses the intent again, and undoing the earlier use does not undo this one.
      expect([await consume(), await release(3), await release(4)]).toEqual([true, false, false]);
      await write((tx) => tx.reportOutcome('int_1', 'crq_1', 'succeeded', at(40)));
      expect([await release(5), await release(6)]).toEqual([false, false]);
    });

    it('cannot have a use undone once they were revoked or erased', async () => {
      await approve();
      await write((tx) => tx.consumeIntent('int_1', 'crq_1', at(30)));
      await write((tx) => tx.revokeIntent('int_1', at(31)));
      expect(await write((tx) => tx.releaseIntent('int_1', 'crq_1', 4))).toBe(false);
      expect(await find()).toMatchObject({ consumedBy: 'crq_1', revision: 4 });

      await insert(anIntent('int_2'));
      await write((tx) => tx.resolveIntent('int_2', 1, anApproval('int_2', 'pmt_5')));
      await write((tx) => tx.consumeIntent('int_2', 'crq_2', at(30)));
      const used = await storage().read.findIntent('int_2');
      if (!used) throw new Error('it was made');
      const texts = { ...used, params: {}, metadata: {} };
      await write((tx) => tx.eraseIntentTexts(used, ['pmt_5'], texts, at(31)));
      for (const revision of [used.revision, used.revision + 1])
        expect(await write((tx) => tx.releaseIntent('int_2', 'crq_2', revision))).toBe(false);
    });

    it('are consumed only when approved and not revoked', async () => {
      await insert(anIntent('int_1'));
      const consume = () => write((tx) => tx.consumeIntent('int_1', 'key_1', at(30)));
      const revoke = () => write((tx) => tx.revokeIntent('int_1', at(20)));
      expect(await consume()).toBe(false);
      expect(await revoke()).toBe(false);
      await write((tx) => tx.resolveIntent('int_1', 1, anApproval('int_1', 'pmt_1')));
      expect(await revoke()).toBe(true);
      expect(await revoke()).toBe(false);
      expect(await consume()).toBe(false);
      expect(await find()).toMatchObject({ revokedAt: at(20), consumedAt: null });
    });

    it('have their outcome reported once, by the caller that consumed them', async () => {
      await approve();
      const report = (by: string) => write((tx) => tx.reportOutcome('int_1', by, 'succeeded', at(40)));
      expect(await report('key_1')).toBe(false);
      await write((tx) => tx.consumeIntent('int_1', 'key_1', at(30)));
      expect(await report('key_2')).toBe(false);
      expect(await report('key_1')).toBe(true);
      expect(await report('key_1')).toBe(false);
      expect(await find()).toMatchObject({ outcome: 'succeeded', outcomeAt: at(40) });
    });

    it('get places in the status list that no other permit gets', async () => {
      const blocks = await Promise.all(
        Array.from({ length: 5 }, () => write((tx) => tx.reserveReceiptIndexes(10))),
      );
      expect(blocks.sort((a, b) => a - b)).toEqual([0, 10, 20, 30, 40]);
    });
  });

  describe('a resubmission', () => {
    it('keeps its original and who resubmitted it, is found by the original, and exists only once per original', async () => {
      const again = anIntent('int_2', { askedAgainFrom: 'int_1', askedBy: 'usr_1' });
      await insert(anIntent('int_1'), again);
      expect(await find('int_2')).toEqual(again);
      expect(await storage().read.findAskedAgain('int_1')).toBe('int_2');
      expect(await storage().read.findAskedAgain('int_2')).toBeUndefined();
      await expect(insert(anIntent('int_3', { askedAgainFrom: 'int_1' }))).rejects.toThrow();
    });

    it('can follow one request for more time, made before the intent expires', async () => {
      await insert(anIntent('int_1'));
      const asked = { by: 'ann@example.org', at: at(1), comment: ODD_TEXT };
      const late = { ...asked, at: at(1_000_000) };
      expect(await write((tx) => tx.requestExtension('int_1', late))).toBe(false);
      expect(await write((tx) => tx.requestExtension('int_1', asked))).toBe(true);
      expect(await write((tx) => tx.requestExtension('int_1', { ...asked, by: 'bob@example.org' }))).toBe(
        false,
      );
      expect((await find())?.extensionRequest).toEqual(asked);
    });
  });

  describe('the last approval of an action', () => {
    const approved = (id: string, changes: Partial<Intent> = {}) =>
      anIntent(id, {
        status: 'approved',
        permit: aPermit(`pmt_${id}`),
        receipt: aReceipt(id),
        receiptIndex: Number(id.replace(/\D/g, '')),
        ...changes,
      });

    it('is the newest one that a person gave, or the newest before a given intent', async () => {
      await insert(
        approved('int_1'),
        approved('int_2', { params: { amount: 2 } }),
        approved('int_3', { action: 'other' }),
        approved('int_4', { decision: 'auto_approve' }),
        anIntent('int_5'),
      );
      const { projectId, action } = anIntent('int_1');
      const last = async (before?: string) =>
        (await storage().read.findLastApproved(projectId, action, before))?.id;
      expect(await last()).toBe('int_2');
      expect(await last('int_2')).toBe('int_1');
      expect(await last('int_1')).toBeUndefined();
      expect(await storage().read.findLastApproved('prj_other', action)).toBeUndefined();
      const hasApproved = (project: string, name: string) => storage().read.hasApproved(project, name);
      expect(await Promise.all([action, 'other', 'third'].map((one) => hasApproved(projectId, one)))).toEqual(
        [true, true, false],
      );
      expect(await hasApproved('prj_other', action)).toBe(false);
    });

    it('with the same parameters is found however many others were approved since', async () => {
      const equal = { paramsHash: 'sha256:same', approvedAt: at(1) };
      const others = Array.from({ length: 300 }, (_, index) =>
        approved(`int_${index + 2}`, { paramsHash: 'sha256:other', approvedAt: at(2) }),
      );
      await insert(approved('int_1', equal), ...others);
      const { projectId, action } = anIntent('int_1');
      const found = await storage().read.findLastApprovedEqual({ projectId, action, ...equal }, at(0));
      expect(found?.id).toBe('int_1');
    });

    it('with the same parameters is found by their hash, from a given time on', async () => {
      await insert(
        approved('int_1', { paramsHash: HASH, approvedAt: at(1) }),
        approved('int_2', { paramsHash: HASH, approvedAt: at(2), consumedAt: at(3) }),
        approved('int_3', { paramsHash: TWIN, approvedAt: at(4) }),
        approved('int_4', { paramsHash: HASH, approvedAt: at(5), decision: 'auto_approve' }),
        approved('int_5', { paramsHash: HASH, approvedAt: at(5), action: 'other' }),
        anIntent('int_6', { paramsHash: HASH }),
      );
      const { projectId, action } = anIntent('int_1');
      const find = (since: string, project = projectId) =>
        storage().read.findLastApprovedEqual({ projectId: project, action, paramsHash: HASH }, since);
      expect(await find(at(0))).toMatchObject({ id: 'int_2', consumedAt: at(3) });
      expect(await find(at(2))).toMatchObject({ id: 'int_2' });
      expect(await find(at(3))).toBeUndefined();
      expect(await find(at(0), 'prj_other')).toBeUndefined();
    });
  });

  describe('the last denial of the same action and parameters', () => {
    it('is the newest one that a person gave, from a given time on', async () => {
      const ids = ['int_1', 'int_2', 'int_3', 'int_4', 'int_5'];
      await insert(
        ...ids.map((id) => anIntent(id, { paramsHash: HASH })),
        anIntent('int_6', { paramsHash: HASH, action: 'other' }),
        anIntent('int_7', { paramsHash: TWIN }),
      );
      await write(async (tx) => {
        await tx.resolveIntent('int_2', 1, aDenial(20));
        await tx.resolveIntent('int_1', 1, aDenial(30));
        await tx.resolveIntent('int_3', 1, { ...aDenial(40), deniedBy: null });
        await tx.resolveIntent('int_4', 1, anApproval('int_4', 'pmt_4', 50));
        await tx.resolveIntent('int_6', 1, aDenial(60));
        await tx.resolveIntent('int_7', 1, aDenial(70));
      });
      const equal = anIntent('int_5', { paramsHash: HASH });
      const last = async (since: string, changes: Partial<Intent> = {}) =>
        (await storage().read.findLastDenied({ ...equal, ...changes }, since))?.id;
      expect(await last(at(0))).toBe('int_1');
      expect(await last(at(30))).toBe('int_1');
      expect(await last(at(31))).toBeUndefined();
      expect(await last(at(0), { action: 'other' })).toBe('int_6');
      expect(await last(at(0), { paramsHash: 'sha256:other' })).toBeUndefined();
      expect(await last(at(0), { projectId: 'prj_other' })).toBeUndefined();
    });
  });

  describe('votes', () => {
    it('are listed in the order in which they were given, a changed vote last', async () => {
      await insert(anIntent('int_1'), anIntent('int_2'));
      await write(async (tx) => {
        await tx.saveApproval(aVote('int_1', 'usr_2'));
        await tx.saveApproval(aVote('int_1', 'usr_1', { method: 'passkey' }));
        await tx.saveApproval(aVote('int_2', 'usr_1'));
        await tx.saveApproval(aVote('int_1', 'usr_2', { decision: 'deny' }));
      });
      expect(await storage().read.listApprovals('int_1')).toEqual([
        aVote('int_1', 'usr_1', { method: 'passkey' }),
        aVote('int_1', 'usr_2', { decision: 'deny' }),
      ]);
      expect(await storage().read.listApprovals('int_2')).toEqual([aVote('int_2', 'usr_1')]);
    });

    it('are stored once per person, however many are given at once', async () => {
      await insert(anIntent('int_1'));
      await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          write((tx) => tx.saveApproval(aVote('int_1', `usr_${index % 4}`, { at: at(index) }))),
        ),
      );
      expect(await storage().read.listApprovals('int_1')).toHaveLength(4);
    });
  });
}
