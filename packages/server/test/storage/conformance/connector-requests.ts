import { describe, expect, it } from 'vitest';
import type { ConnectorRequest, ConnectorSettlement } from '../../../src/gate/tools/connector-request.ts';
import type { CurrentStorage } from './conformance.ts';
import { at } from './samples.ts';

function aRequest(id: string, changes: Partial<ConnectorRequest> = {}): ConnectorRequest {
  return {
    id,
    projectId: 'prj_1',
    intentId: id.replace('crq', 'int'),
    credentialId: 'key_1',
    toolName: 'mail.send',
    toolHash: 'sha256:aa',
    argumentsHash: 'sha256:bb',
    resultForm: 'json',
    state: 'pending',
    ranBy: null,
    leasedBy: null,
    leasedUntil: null,
    result: null,
    message: null,
    createdAt: at(0),
    settledAt: null,
    erasedAt: null,
    ...changes,
  };
}

const CLAIM = { ranBy: 'key_2', leasedBy: 'gate 1', leasedUntil: at(30) };
const DONE: ConnectorSettlement = { state: 'executed', result: { id: 7 }, message: null, at: at(5) };

export function describeConnectorRequests(storage: CurrentStorage): void {
  const find = (id: string) => storage().read.findConnectorRequest(id);
  const insert = (request: ConnectorRequest) =>
    storage().transaction((tx) => tx.insertConnectorRequest(request), { guarded: true });
  const claim = (id: string, leasedUntil = at(30)) =>
    storage().transaction((tx) => tx.claimConnectorRequest(id, { ...CLAIM, leasedUntil }), { guarded: true });
  const settle = (id: string, settlement = DONE) =>
    storage().transaction((tx) => tx.settleConnectorRequest(id, settlement), { guarded: true });

  describe('connector requests', () => {
    it('keep every field, and exist once per intent', async () => {
      const full = aRequest('crq_2', {
        resultForm: 'mcp',
        state: 'failed',
        ...CLAIM,
        result: { text: 'a\u0000b' },
        message: 'no',
        settledAt: at(5),
        erasedAt: at(6),
      });
      expect([await insert(aRequest('crq_1')), await insert(full)]).toEqual([true, true]);
      expect(await insert(aRequest('crq_3', { intentId: 'int_1' }))).toBe(false);
      expect([await find('crq_1'), await find('crq_2'), await find('crq_3')]).toEqual([
        aRequest('crq_1'),
        full,
        undefined,
      ]);
      expect(await storage().read.findConnectorRequestOf('int_2')).toEqual(full);
      expect(await storage().read.findConnectorRequestOf('int_9')).toBeUndefined();
    });

    it('are claimed once and settled once, however many try at the same time', async () => {
      await insert(aRequest('crq_1'));
      expect(await settle('crq_1')).toBe(false);
      const claims = await Promise.all([claim('crq_1'), claim('crq_1'), claim('crq_1')]);
      expect(claims.filter(Boolean)).toHaveLength(1);
      expect(await find('crq_1')).toMatchObject({ state: 'executing', ...CLAIM });
      const lost: ConnectorSettlement = { state: 'unknown', result: null, message: 'lost', at: at(40) };
      const settled = await Promise.all([settle('crq_1'), settle('crq_1', lost)]);
      expect(settled.filter(Boolean)).toHaveLength(1);
      const after = await find('crq_1');
      expect(after).toMatchObject({ leasedBy: null, leasedUntil: null, ranBy: 'key_2' });
      expect(after?.state).toBe(settled[0] ? 'executed' : 'unknown');
      expect(await claim('crq_1')).toBe(false);
    });

    it('become pending again when their own gate returns the claim, and can be claimed again', async () => {
      const release = (id: string, leasedBy: string) =>
        storage().transaction((tx) => tx.releaseConnectorRequest(id, leasedBy), { guarded: true });
      await insert(aRequest('crq_1'));
      expect(await release('crq_1', 'gate 1')).toBe(false);
      await claim('crq_1');
      expect(await release('crq_1', 'gate 2')).toBe(false);
      expect(await find('crq_1')).toMatchObject({ state: 'executing', ...CLAIM });
      expect(await release('crq_1', 'gate 1')).toBe(true);
      expect(await find('crq_1')).toEqual(aRequest('crq_1'));
      const claims = await Promise.all([claim('crq_1'), claim('crq_1')]);
      expect(claims.filter(Boolean)).toHaveLength(1);
      expect(await settle('crq_1')).toBe(true);
      expect(await release('crq_1', 'gate 1')).toBe(false);
    });

    it('are listed while they run, soonest lease expiry first, and only their gate extends the lease', async () => {
      for (const id of ['crq_1', 'crq_2', 'crq_3']) await insert(aRequest(id));
      await claim('crq_1', at(30));
      await claim('crq_2', at(20));
      const list = () => storage().read.listExecutingRequests(10);
      expect((await list()).map(({ id }) => id)).toEqual(['crq_2', 'crq_1']);
      const extend = (by: string) =>
        storage().transaction((tx) => tx.extendConnectorRequest('crq_2', by, at(60)));
      expect([await extend('gate 2'), await extend('gate 1')]).toEqual([false, true]);
      expect(await list()).toEqual([
        { id: 'crq_1', projectId: 'prj_1', intentId: 'int_1', leasedBy: 'gate 1', leasedUntil: at(30) },
        { id: 'crq_2', projectId: 'prj_1', intentId: 'int_2', leasedBy: 'gate 1', leasedUntil: at(60) },
      ]);
      await settle('crq_2');
      expect((await list()).map(({ id }) => id)).toEqual(['crq_1']);
      expect(await extend('gate 1')).toBe(false);
    });

    it('are found by key, tool and arguments, the newest pending one first', async () => {
      await insert(aRequest('crq_1'));
      await insert(aRequest('crq_2'));
      await insert(aRequest('crq_3'));
      await claim('crq_3');
      const waiting = (hash: string) =>
        storage().read.findWaitingConnectorRequest('key_1', 'mail.send', hash);
      expect((await waiting('sha256:bb'))?.id).toBe('crq_2');
      expect(await waiting('sha256:cc')).toBeUndefined();
    });

    it('lose their answer when they are erased, and store no later one', async () => {
      for (const id of ['crq_1', 'crq_2']) {
        await insert(aRequest(id));
        await claim(id);
      }
      await settle('crq_1', { ...DONE, message: 'to Ann@Example.org' });
      const found = (projectId: string) =>
        storage().read.findConnectorRequestsWithText(projectId, 'ann@example.org', 0);
      expect(await found('prj_1')).toEqual({ items: ['crq_1'], next: null });
      expect(await found('prj_2')).toEqual({ items: [], next: null });
      await storage().transaction(async (tx) => {
        await tx.eraseConnectorRequest('crq_1', at(9));
        await tx.eraseConnectorRequestOf('int_2', at(9));
      });
      await settle('crq_2');
      for (const id of ['crq_1', 'crq_2']) {
        expect(await find(id)).toMatchObject({
          state: 'executed',
          result: null,
          message: null,
          erasedAt: at(9),
        });
      }
    });
  });

  describe('mock records', () => {
    const record = (id: string, connector = 'mail') => ({
      id,
      projectId: 'prj_1',
      connector,
      tool: `${connector}.x`,
      arguments: { to: 'ann' },
      at: at(1),
    });
    const write = (id: string, connector?: string) =>
      storage().transaction((tx) => tx.insertMockRecord(record(id, connector)), { guarded: true });
    const list = (page: { beforeId?: string; limit: number }, projectId = 'prj_1') =>
      storage().read.listMockRecords(projectId, 'mail', page);

    it('are written once per intent, and listed newest first', async () => {
      const writes = await Promise.all([write('int_1'), write('int_1')]);
      expect(writes.filter(Boolean)).toHaveLength(1);
      await write('int_2');
      await write('int_3', 'files');
      expect(await list({ limit: 10 })).toEqual([record('int_2'), record('int_1')]);
      expect((await list({ limit: 1 })).map(({ id }) => id)).toEqual(['int_2']);
      expect((await list({ limit: 1, beforeId: 'int_2' })).map(({ id }) => id)).toEqual(['int_1']);
      expect(await list({ limit: 10 }, 'prj_2')).toEqual([]);
    });

    it('lose their arguments when they are erased', async () => {
      await write('int_1');
      await storage().transaction((tx) => tx.eraseMockRecord('int_1'));
      expect(await list({ limit: 10 })).toEqual([{ ...record('int_1'), arguments: {} }]);
    });
  });
}
