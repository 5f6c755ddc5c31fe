import { describe, expect, it } from 'vitest';
import type { Found, FoundAnswer, IntentTexts } from '../../../src/gate/erasure/erasure.ts';
import type { CurrentStorage } from './conformance.ts';
import { anIntent, aPermit, aProject, aReceipt, aRecord, at, aUser, aVote, LONG_TEXT } from './samples.ts';

const BARE: IntentTexts = {
  params: {},
  metadata: {},
  source: null,
  reason: null,
  requester: { type: 'agent', id: 'agt_1', display: 'refund bot', ownerId: null },
  approvers: [],
  requirement: [],
  approvals: [],
  resolvedBy: 'usr_1',
  approvedBy: 'usr_1',
  extensionRequest: null,
};

export function describeErasure(storage: CurrentStorage): void {
  describe('erasure', () => {
    const approved = anIntent('int_1', {
      status: 'approved',
      params: { to: 'Ann@Example.org', long: LONG_TEXT },
      permit: aPermit('pmt_1'),
      receipt: aReceipt('int_1'),
      receiptIndex: 7,
      approvedBy: 'ann@example.org',
    });

    it('removes the texts of an intent, with tokens and receipt, and keeps the receipt’s hash', async () => {
      await storage().transaction((tx) => tx.insertIntent(approved));
      await storage().transaction((tx) => tx.eraseIntentTexts(approved, ['pmt_1'], BARE, at(9)));
      expect(await storage().read.findIntent('int_1')).toEqual({
        ...approved,
        ...BARE,
        permit: { ...aPermit('pmt_1'), token: '' },
        receipt: null,
        revision: approved.revision + 1,
        erasedAt: at(9),
      });
      expect(await storage().read.findErasedReceipt(7)).toEqual({
        kid: 'key',
        jwsHash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      });
      expect(await storage().read.findErasedReceipt(8)).toBeUndefined();
    });

    it('is refused for a pending intent', async () => {
      const pending = anIntent('int_1');
      await storage().transaction((tx) => tx.insertIntent(pending));
      const erased = storage().transaction((tx) => tx.eraseIntentTexts(pending, [], BARE, at(9)));
      await expect(erased).rejects.toThrow('pending');
      expect(await storage().read.findIntent('int_1')).toEqual(pending);
    });

    it('replaces the names of approvers with their IDs', async () => {
      await storage().transaction(async (tx) => {
        await tx.insertIntent(approved);
        for (const id of ['usr_1', 'usr_2']) await tx.saveApproval(aVote('int_1', id));
        await tx.eraseApproverName('int_1', 'usr_2');
      });
      const names = async () => (await storage().read.listApprovals('int_1')).map(({ by }) => by);
      expect(await names()).toEqual(['usr_1@example.org', 'usr_2']);
      await storage().transaction((tx) => tx.eraseApproverNames('int_1'));
      expect(await names()).toEqual(['usr_1', 'usr_2']);
    });

    it('finds the intents of one project that contain a text, ignoring case', async () => {
      await storage().transaction(async (tx) => {
        await tx.insertProject(aProject({ id: 'prj_2' }));
        await tx.insertIntent(approved);
        await tx.insertIntent(anIntent('int_2', { metadata: { for: 'ANN@example.org' } }));
        await tx.insertIntent(anIntent('int_3', { approvers: ['ann@example.org'] }));
        await tx.insertIntent(anIntent('int_4', { projectId: 'prj_2', source: 'ann@example.org' }));
        await tx.insertIntent(anIntent('int_5'));
      });
      const { items, next } = await storage().read.findIntentsWithText('prj_1', 'ann@example.org', 0);
      expect([...items].sort()).toEqual(['int_1', 'int_2', 'int_3']);
      expect(next).toBeNull();
      expect((await storage().read.findIntentsWithText('prj_2', 'ann@example.org', 0)).items).toEqual([
        'int_4',
      ]);
      expect((await storage().read.findIntentsWithText('prj_1', '100%_', 0)).items).toEqual([]);
    });

    it('searches for the literal text, whatever its characters', async () => {
      const texts = ['100%_', 'a\\b', "o'brien$1", 'caf\u00e9', '\u{1f600}', '.*'];
      await storage().transaction(async (tx) => {
        for (const [index, text] of texts.entries()) {
          await tx.insertIntent(anIntent(`int_${index}`, { source: `see ${text}, please` }));
        }
      });
      for (const [index, text] of texts.entries()) {
        const { items } = await storage().read.findIntentsWithText('prj_1', text, 0);
        expect(items).toEqual([`int_${index}`]);
      }
    });

    it('searches long texts in smaller steps, so that no step takes long', async () => {
      const params = { to: 'ann@example.org', pad: 'x'.repeat(200_000) };
      const ids = Array.from({ length: 12 }, (_, n) => `int_${100 + n}`);
      await storage().transaction(async (tx) => {
        for (const id of ids) await tx.insertIntent(anIntent(id, { params }));
        for (const key of ids) await tx.insertIdempotencyRecord(aRecord({ key, body: { params } }), at(0));
      });
      const [intents, answers]: [string[], string[]] = [[], []];
      let steps = 0;
      for (let from: number | null = 0; from !== null; steps += 1) {
        const found: Found<string> = await storage().read.findIntentsWithText(
          'prj_1',
          'ann@example.org',
          from,
        );
        intents.push(...found.items);
        from = found.next;
      }
      for (let from: number | null = 0; from !== null; steps += 1) {
        const found: Found<FoundAnswer> = await storage().read.findAnswersWithText('ann@example.org', from);
        answers.push(...found.items.map(({ key }) => key));
        from = found.next;
      }
      expect(intents).toEqual(ids);
      expect(answers).toEqual(ids);
      expect(steps).toBeGreaterThan(8);
    });

    it('finds stored answers by a text, and erases them without forgetting their requests', async () => {
      const record = aRecord({ body: { id: 'int_1', params: { to: 'Ann@example.org' } } });
      await storage().transaction(async (tx) => {
        await tx.insertIdempotencyRecord(record, at(0));
        await tx.insertIdempotencyRecord(aRecord({ key: 'k2' }), at(0));
      });
      const { items } = await storage().read.findAnswersWithText('ann@example.org', 0);
      expect(items).toEqual([{ scope: record.scope, key: 'k1' }]);
      await storage().transaction((tx) => tx.eraseAnswer({ scope: record.scope, key: 'k1' }));
      expect(await storage().read.findIdempotencyRecord(record.scope, 'k1', at(0))).toEqual({
        ...record,
        status: 0,
        body: {},
      });
      expect((await storage().read.findIdempotencyRecord(record.scope, 'k2', at(0)))?.status).toBe(201);
    });

    it('erases a user only if they are not a member of any project', async () => {
      await storage().transaction(async (tx) => {
        await tx.insertUser(aUser('usr_1'));
        await tx.insertUser(aUser('usr_2', { name: 'Ben' }));
        await tx.saveMember({
          projectId: 'prj_1',
          userId: 'usr_1',
          email: 'usr_1@example.org',
          role: 'viewer',
          createdAt: at(0),
        });
        await tx.eraseUser('usr_1');
        await tx.eraseUser('usr_2');
      });
      expect(await storage().read.findUserByEmail('usr_1@example.org')).toEqual(aUser('usr_1'));
      expect(await storage().read.findUserByEmail('usr_2@example.org')).toBeUndefined();
      expect(await storage().read.findUser('usr_2')).toMatchObject({ name: null, email: 'erased usr_2' });
    });

    it('stores the retention setting and the progress of the sweep separately', async () => {
      const retention = () => storage().read.findRetention('prj_1');
      expect(await retention()).toEqual({ days: null, sweptEventSeq: 0 });
      await storage().transaction((tx) => tx.saveSweptEvent('prj_1', 12));
      await storage().transaction((tx) => tx.setRetentionDays('prj_1', 30));
      expect(await retention()).toEqual({ days: 30, sweptEventSeq: 12 });
      await storage().transaction((tx) => tx.setRetentionDays('prj_1', null));
      expect(await retention()).toEqual({ days: null, sweptEventSeq: 12 });
    });

    it('sweeps intents in the order of creation, each once, and postponed ones when they are due', async () => {
      await storage().transaction(async (tx) => {
        for (const id of ['int_1', 'int_2', 'int_3']) await tx.insertIntent(anIntent(id));
        await tx.insertProject(aProject({ id: 'prj_2' }));
        await tx.insertIntent(anIntent('int_4', { projectId: 'prj_2' }));
      });
      const next = async () => (await storage().read.listUnsweptIntents('prj_1', 2)).map(({ id }) => id);
      expect(await next()).toEqual(['int_1', 'int_2']);
      await storage().transaction((tx) => tx.saveSweptIntent('prj_1', 'int_2'));
      expect(await next()).toEqual(['int_3']);
      await storage().transaction((tx) => tx.saveSweptIntent('prj_1', 'int_3'));
      expect(await next()).toEqual([]);

      const due = async (now: string) =>
        (await storage().read.listWaitingIntents('prj_1', now, 10)).map(({ id }) => id);
      await storage().transaction((tx) => tx.saveWaitingIntent({ id: 'int_2', projectId: 'prj_1' }, at(50)));
      await storage().transaction((tx) => tx.saveWaitingIntent({ id: 'int_4', projectId: 'prj_2' }, at(50)));
      expect(await due(at(49))).toEqual([]);
      expect(await due(at(50))).toEqual(['int_2']);
      await storage().transaction((tx) => tx.saveWaitingIntent({ id: 'int_2', projectId: 'prj_1' }, null));
      expect(await due(at(99))).toEqual([]);
    });

    it('lists unfinished erasures by subject, oldest first, and removes one only if nothing was erased since it was read', async () => {
      const person = { projectId: 'prj_1', subject: 'person', subjectId: 'usr_1' } as const;
      const age = { projectId: 'prj_1', subject: 'age', subjectId: null } as const;
      expect(await storage().read.measureUnfinishedErasures()).toEqual({ count: 0, oldestSince: null });
      await storage().transaction(async (tx) => {
        await tx.saveUnfinishedErasure({ ...person, since: at(2), mark: 'a' });
        await tx.saveUnfinishedErasure({ ...age, since: at(1), mark: 'b' });
        await tx.saveUnfinishedErasure({ ...age, since: at(3), mark: 'c' });
      });
      expect(await storage().read.listUnfinishedErasures()).toEqual([
        { ...age, since: at(1), mark: 'c' },
        { ...person, since: at(2), mark: 'a' },
      ]);
      expect(await storage().read.measureUnfinishedErasures()).toEqual({ count: 2, oldestSince: at(1) });
      expect(await storage().read.hasUnfinishedErasures('prj_1')).toBe(true);
      expect(await storage().read.hasUnfinishedErasures('prj_2')).toBe(false);
      await storage().transaction(async (tx) => {
        await tx.deleteUnfinishedErasure({ ...age, since: at(1), mark: 'b' });
        await tx.deleteUnfinishedErasure({ ...person, since: at(2), mark: 'a' });
      });
      expect(await storage().read.listUnfinishedErasures()).toEqual([{ ...age, since: at(1), mark: 'c' }]);
    });

    it('removes erased data from the files while the storage continues to work', async () => {
      await storage().transaction((tx) => tx.insertIntent(approved));
      await storage().transaction((tx) => tx.eraseIntentTexts(approved, ['pmt_1'], BARE, at(9)));
      await Promise.all([
        storage().forget(),
        storage().transaction((tx) => tx.insertIntent(anIntent('int_9'))),
      ]);
      expect(await storage().forget({ rewrite: true })).toBe(true);
      expect(await storage().read.findIntent('int_9')).toEqual(anIntent('int_9'));
      expect((await storage().read.findIntent('int_1'))?.params).toEqual({});
    });
  });
}
