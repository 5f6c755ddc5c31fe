import { beforeEach, describe, expect, it } from 'vitest';
import type { AttemptRecord, NewDelivery } from '../../../src/gate/outbox/delivery.ts';
import type { Webhook } from '../../../src/gate/webhooks/webhook.ts';
import type { CurrentStorage } from './conformance.ts';
import { anEvent, aProject, at, ODD_TEXT } from './samples.ts';

export function aWebhook(id: string, changes: Partial<Webhook> = {}): Webhook {
  return {
    id,
    projectId: 'prj_1',
    sealedUrl: 'sealed',
    host: 'example.com',
    description: ODD_TEXT,
    eventTypes: ['intent.*', 'permit.revoked'],
    secrets: [
      { sealed: 'new', until: null },
      { sealed: 'old', until: at(9) },
    ],
    afterSeq: 7,
    createdAt: at(0),
    updatedAt: at(1),
    disabledAt: null,
    disabledReason: null,
    failures: 0,
    failingSince: null,
    openUntil: null,
    lastDeliveredAt: null,
    ...changes,
  };
}

export function aDelivery(id: string, changes: Partial<NewDelivery> = {}): NewDelivery {
  return {
    id,
    projectId: 'prj_1',
    channel: 'webhook',
    target: 'whk_1',
    kind: 'event',
    replayId: null,
    causeId: `evt of ${id}`,
    userId: null,
    detail: {},
    eventSeq: 1,
    eventType: 'intent.created',
    intentId: null,
    createdAt: at(0),
    dueAt: changes.createdAt ?? at(0),
    ...changes,
  };
}

const TRIED: AttemptRecord = {
  attempts: [{ at: at(1), durationMs: 12, status: 500, error: 'It answered 500.', response: ODD_TEXT }],
  attemptCount: 1,
  lastStatus: 500,
  lastError: 'It answered 500.',
};

export function describeWebhooks(storage: CurrentStorage): void {
  const write: ReturnType<CurrentStorage>['transaction'] = (work, options) =>
    storage().transaction(work, options);
  const insert = (...webhooks: Webhook[]) =>
    write(async (tx) => {
      for (const webhook of webhooks) await tx.insertWebhook(webhook);
    });
  const find = (id = 'whk_1') => storage().read.findWebhook('prj_1', id);
  const put = (...deliveries: NewDelivery[]) =>
    write(async (tx) => {
      for (const delivery of deliveries) await tx.insertDelivery(delivery);
    });
  const due = async (now = at(0)) =>
    storage().read.listDueDeliveries({ channel: 'webhook', target: 'whk_1', now, limit: 10 });
  const dueIds = async (now = at(0)) => (await due(now)).map(({ id }) => id);
  const get = async (id: string) => {
    const delivery = await storage().read.findDelivery('prj_1', 'whk_1', id);
    if (!delivery) throw new Error(`${id} is not there`);
    return delivery;
  };
  const lease = async (id: string, by: string, now = at(0)) => {
    const { position } = await get(id);
    return write((tx) => tx.leaseDelivery(position, by, now, at(60)), { guarded: true });
  };
  const finish = async (id: string, by: string | null, now = at(1)) => {
    const delivery = await get(id);
    return write((tx) => tx.finishDelivery(delivery, by, 'delivered', now, TRIED), { guarded: true });
  };

  /** One more event, sealed at this place. */
  const seal = async (projectId: string, seq: number) => {
    const hashOf = (place: number) => `sha256:${String(place).padStart(64, '0')}`;
    await write((tx) => tx.insertEvent(anEvent(`evt_${projectId}_${seq}`, { projectId })));
    const positions = (await storage().read.listUnsealedEvents(projectId, 10)).map(
      ({ position }) => position,
    );
    const stretch = { projectId, firstSeq: seq, positions, prevHash: hashOf(seq - 1), hashes: [hashOf(seq)] };
    const head = { projectId, seq, hash: hashOf(seq), sealedAt: at(seq), jws: 'jws' };
    expect(await write((tx) => tx.appendSeal(stretch, head))).toBe(true);
  };

  describe('webhooks', () => {
    beforeEach(() => write((tx) => tx.insertProject(aProject({ id: 'prj_2', name: 'Second' }))));

    it('keep every field, for their project only, and are listed newest first', async () => {
      const all = aWebhook('whk_2', { description: null, eventTypes: null });
      await insert(aWebhook('whk_1'), all, aWebhook('whk_3', { projectId: 'prj_2' }));
      expect(await find()).toEqual(aWebhook('whk_1'));
      expect(await storage().read.listWebhooks('prj_1')).toEqual([all, aWebhook('whk_1')]);
      expect(await find('whk_3')).toBeUndefined();
    });

    it('are changed as requested, except their health', async () => {
      await insert(aWebhook('whk_1', { failures: 3, failingSince: at(2) }));
      const changed = aWebhook('whk_1', {
        host: 'other.example',
        secrets: [],
        afterSeq: 9,
        updatedAt: at(5),
      });
      await write((tx) => tx.updateWebhook(changed));
      expect(await find()).toEqual({ ...changed, failures: 3, failingSince: at(2) });
    });

    it('count failures in a row until a delivery succeeds', async () => {
      await insert(aWebhook('whk_1'));
      await write(async (tx) => {
        await tx.noteWebhookFailure('whk_1', at(1), null);
        await tx.noteWebhookFailure('whk_1', at(2), at(30));
      });
      expect(await find()).toMatchObject({ failures: 2, failingSince: at(1), openUntil: at(30) });
      await write((tx) => tx.letWebhookThrough('whk_1'));
      expect(await find()).toMatchObject({ failures: 2, failingSince: at(1), openUntil: null });
      await write((tx) => tx.noteWebhookSuccess('whk_1', at(3), at(-57)));
      const well = { failures: 0, failingSince: null, openUntil: null };
      expect(await find()).toMatchObject({ ...well, lastDeliveredAt: at(3) });
      await write((tx) => tx.noteWebhookSuccess('whk_1', at(4), at(-56)));
      expect(await find()).toMatchObject({ lastDeliveredAt: at(3) });
      await write((tx) => tx.noteWebhookFailure('whk_1', at(9), at(30)));
      await write((tx) => tx.resetWebhookHealth('whk_1'));
      expect(await find()).toMatchObject(well);
    });

    it('are disabled once, and probed by one gate at a time, however many ask at once', async () => {
      await insert(aWebhook('whk_1', { openUntil: at(5) }));
      const all = Array.from({ length: 10 });
      const probes = await Promise.all(
        all.map(() => write((tx) => tx.takeProbe('whk_1', at(5), at(60)), { guarded: true })),
      );
      expect(probes.filter((won) => won)).toHaveLength(1);
      const ends = await Promise.all(
        all.map(() => write((tx) => tx.disableWebhook('whk_1', 'gone', at(6)), { guarded: true })),
      );
      expect(ends.filter((won) => won)).toHaveLength(1);
      expect(await find()).toMatchObject({ disabledAt: at(6), disabledReason: 'gone', updatedAt: at(6) });
    });

    it('have due deliveries only while they are enabled and their circuit is not open', async () => {
      const busy = async (now: string) => (await storage().read.listDueWebhooks(now)).map(({ id }) => id);
      await insert(aWebhook('whk_1'), aWebhook('whk_2'), aWebhook('whk_3', { openUntil: at(5) }));
      await put(aDelivery('dlv_1'), aDelivery('dlv_3', { target: 'whk_3' }));
      expect(await busy(at(0))).toEqual(['whk_1']);
      expect((await busy(at(5))).toSorted()).toEqual(['whk_1', 'whk_3']);
      expect(await busy(at(-1))).toEqual([]);
      await write((tx) => tx.disableWebhook('whk_1', 'requested', at(1)));
      expect(await busy(at(5))).toEqual(['whk_3']);
    });

    it('show which projects have new events for them', async () => {
      const list = () => storage().read.listProjectsToDeliver('webhooks');
      const behind = () => storage().read.listProjectsBehind('webhooks');
      await insert(aWebhook('whk_1', { afterSeq: 1 }), aWebhook('whk_2', { afterSeq: 9 }));
      expect(await list()).toEqual([]);
      await seal('prj_1', 1);
      expect(await behind()).toEqual(['prj_1']);
      await seal('prj_2', 1);
      expect(await list()).toEqual([]);
      await seal('prj_1', 2);
      expect(await list()).toEqual(['prj_1']);
      await write((tx) => tx.moveReader('webhooks', 'prj_1', undefined, 2));
      expect(await list()).toEqual([]);
      expect(await behind()).toEqual(['prj_2']);
      await seal('prj_1', 3);
      expect(await list()).toEqual(['prj_1']);
      await write((tx) => tx.disableWebhook('whk_1', 'requested', at(1)));
      await write((tx) => tx.deleteWebhook('whk_2', at(1)));
      expect(await list()).toEqual([]);
    });

    it('are removed at once, and their data later', async () => {
      await insert(aWebhook('whk_1'), aWebhook('whk_2'));
      await put(aDelivery('dlv_1'), aDelivery('dlv_2'), aDelivery('dlv_3', { target: 'whk_2' }));
      const remove = () => write((tx) => tx.deleteWebhook('whk_1', at(1)));
      expect([await remove(), await remove()]).toEqual([true, false]);
      expect(await find()).toBeUndefined();
      expect((await storage().read.listWebhooks('prj_1')).map(({ id }) => id)).toEqual(['whk_2']);
      expect(await storage().read.listDueWebhooks(at(9))).toHaveLength(1);
      const sweep = () => write((tx) => tx.deleteDeliveriesOfDeleted(1));
      expect([await sweep(), await sweep(), await sweep()]).toEqual([1, 1, 0]);
      expect(await storage().read.measureWebhooks(at(9))).toMatchObject({ waiting: 1 });
    });
  });

  describe('deliveries', () => {
    beforeEach(() => insert(aWebhook('whk_1')));

    it('exist once for each event, and once more for each replay', async () => {
      const event = aDelivery('dlv_1', { causeId: 'evt_1' });
      const insertOne = (delivery: NewDelivery) => write((tx) => tx.insertDelivery(delivery));
      expect(await insertOne(event)).toBe(true);
      expect(await insertOne({ ...event, id: 'dlv_2' })).toBe(false);
      const replay = { ...event, kind: 'replay', replayId: 'rpl_1' } as const;
      expect(await insertOne({ ...replay, id: 'dlv_3' })).toBe(true);
      expect(await insertOne({ ...replay, id: 'dlv_4' })).toBe(true);
      const test = { kind: 'test', causeId: null, eventSeq: null, eventType: 'webhook.test' } as const;
      expect(await insertOne(aDelivery('dlv_5', test))).toBe(true);
      expect(await dueIds()).toHaveLength(4);
    });

    it('are listed newest first, by state and by replay, page by page', async () => {
      await put(
        aDelivery('dlv_1'),
        aDelivery('dlv_2', { kind: 'replay', replayId: 'rpl_1' }),
        aDelivery('dlv_3', { kind: 'replay', replayId: 'rpl_1' }),
      );
      await lease('dlv_2', 'gate');
      await finish('dlv_2', 'gate');
      type Filter = Parameters<ReturnType<CurrentStorage>['read']['listDeliveries']>[0];
      const ids = async (filter: Partial<Filter>) => {
        const all = { projectId: 'prj_1', webhookId: 'whk_1', limit: 10 };
        return (await storage().read.listDeliveries({ ...all, ...filter })).map(({ id }) => id);
      };
      expect(await ids({})).toEqual(['dlv_3', 'dlv_2', 'dlv_1']);
      expect(await ids({ limit: 1, beforeId: 'dlv_3' })).toEqual(['dlv_2']);
      expect(await ids({ state: 'delivered' })).toEqual(['dlv_2']);
      expect(await ids({ replayId: 'rpl_1' })).toEqual(['dlv_3', 'dlv_2']);
      expect(await ids({ replayId: 'rpl_1', state: 'waiting' })).toEqual(['dlv_3']);
      expect(await ids({ webhookId: 'whk_2' })).toEqual([]);
    });

    it('of one intent wait for each other, and for no others', async () => {
      const first = { intentId: 'int_1' };
      await put(
        aDelivery('dlv_1', first),
        aDelivery('dlv_2', first),
        aDelivery('dlv_3', first),
        aDelivery('dlv_4', { intentId: 'int_2' }),
        aDelivery('dlv_5'),
      );
      expect((await dueIds()).toSorted()).toEqual(['dlv_1', 'dlv_4', 'dlv_5']);
      await lease('dlv_1', 'gate');
      expect((await dueIds()).toSorted()).toEqual(['dlv_4', 'dlv_5']);
      const { position } = await get('dlv_1');
      await write((tx) => tx.postponeDelivery(position, 'gate', at(30), TRIED));
      expect((await dueIds(at(29))).toSorted()).toEqual(['dlv_4', 'dlv_5']);
      await lease('dlv_1', 'gate', at(30));
      expect(await finish('dlv_1', 'gate', at(31))).toBe(true);
      expect(await get('dlv_2')).toMatchObject({ dueAt: at(31), state: 'waiting' });
      expect(await get('dlv_3')).toMatchObject({ dueAt: null, state: 'waiting' });
      await lease('dlv_2', 'gate', at(31));
      await finish('dlv_2', 'gate', at(32));
      expect(await get('dlv_3')).toMatchObject({ dueAt: at(32) });
    });

    it('never wait for one that is done, in whatever order they arrive', async () => {
      for (let round = 0; round < 20; round += 1) {
        const intentId = `int_${round}`;
        await put(aDelivery(`dlv_${round}a`, { intentId }));
        await lease(`dlv_${round}a`, 'gate');
        await Promise.all([
          finish(`dlv_${round}a`, 'gate'),
          put(aDelivery(`dlv_${round}b`, { intentId })),
          finish(`dlv_${round}a`, 'other'),
        ]);
        expect(await get(`dlv_${round}b`)).toMatchObject({ state: 'waiting', dueAt: expect.any(String) });
      }
    });

    it('are held by one gate, however many take them at once, until the lease expires', async () => {
      await put(aDelivery('dlv_1'));
      const gates = Array.from({ length: 20 }, (_, index) => `gate ${index}`);
      const taken = await Promise.all(gates.map((by) => lease('dlv_1', by)));
      expect(taken.filter((won) => won)).toHaveLength(1);
      expect(await lease('dlv_1', 'late', at(59))).toBe(false);
      expect(await lease('dlv_1', 'late', at(60))).toBe(true);
      const first = gates[taken.indexOf(true)] ?? '';
      expect(await finish('dlv_1', first)).toBe(false);
      const { position } = await get('dlv_1');
      const release = (by: string) => write((tx) => tx.releaseDelivery(position, by, at(2)));
      expect(await release(first)).toBe(false);
      expect(await release('late')).toBe(true);
      expect(await dueIds(at(2))).toEqual(['dlv_1']);
    });

    it('keep the result of each attempt', async () => {
      await put(aDelivery('dlv_1'));
      await lease('dlv_1', 'gate');
      const { position } = await get('dlv_1');
      expect(await write((tx) => tx.postponeDelivery(position, 'other', at(9), TRIED))).toBe(false);
      expect(await write((tx) => tx.postponeDelivery(position, 'gate', at(9), TRIED))).toBe(true);
      expect(await get('dlv_1')).toMatchObject({ ...TRIED, dueAt: at(9), state: 'waiting', doneAt: null });
      await lease('dlv_1', 'gate', at(9));
      const record = { ...TRIED, attempts: [], attemptCount: 2, lastStatus: null, lastError: null };
      const delivery = await get('dlv_1');
      await write((tx) => tx.finishDelivery(delivery, 'gate', 'failed', at(10), record));
      expect(await get('dlv_1')).toMatchObject({
        ...record,
        state: 'failed',
        dueAt: null,
        doneAt: at(10),
      });
    });

    it('that are overdue or can no longer be sent are found, except those in progress', async () => {
      await put(aDelivery('dlv_1'), aDelivery('dlv_2'), aDelivery('dlv_3', { createdAt: at(5) }));
      await lease('dlv_2', 'gate');
      const overdue = async (now: string) =>
        (await storage().read.listOverdueDeliveries('webhook', at(5), now, 10)).map(({ id }) => id);
      expect(await overdue(at(9))).toEqual(['dlv_1']);
      expect(await overdue(at(60))).toEqual(['dlv_1', 'dlv_2']);
      expect(await finish('dlv_2', null, at(9))).toBe(false);
      expect(await finish('dlv_1', null, at(9))).toBe(true);
      expect(await storage().read.listStrandedDeliveries(10)).toEqual([]);
      await write((tx) => tx.disableWebhook('whk_1', 'requested', at(9)));
      const stranded = await storage().read.listStrandedDeliveries(10);
      expect(stranded.map(({ id }) => id)).toEqual(['dlv_2', 'dlv_3']);
    });

    it('are counted while they wait, and deleted some time after they are done', async () => {
      await insert(aWebhook('whk_2', { openUntil: at(9) }));
      await put(aDelivery('dlv_1'), aDelivery('dlv_2', { createdAt: at(5) }));
      const measure = () => storage().read.measureWebhooks(at(8));
      expect(await measure()).toEqual({ waiting: 2, oldestWaitingSince: at(0), openCircuits: 1 });
      const count = (target: string, most: number) => storage().read.countWaitingFor('webhook', target, most);
      expect([await count('whk_1', 1), await count('whk_1', 9), await count('whk_2', 9)]).toEqual([1, 2, 0]);
      await finish('dlv_1', null, at(6));
      await finish('dlv_2', null, at(7));
      expect(await measure()).toEqual({ waiting: 0, oldestWaitingSince: null, openCircuits: 1 });
      const forget = () => write((tx) => tx.deleteDoneDeliveries('webhook', at(7), 10));
      expect([await forget(), await forget()]).toEqual([1, 0]);
      expect(await get('dlv_2')).toMatchObject({ doneAt: at(7) });
    });
  });
}
