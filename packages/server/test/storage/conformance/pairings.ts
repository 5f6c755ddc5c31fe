import { describe, expect, it } from 'vitest';
import type { Pairing } from '../../../src/people/pairings/pairing.ts';
import type { CurrentStorage } from './conformance.ts';
import { at, ODD_TEXT } from './samples.ts';

function aPairing(id: string, changes: Partial<Pairing> = {}): Pairing {
  return {
    id,
    deviceCodeHash: `hash-of-${id}`,
    userCode: `CODE${id}`,
    purpose: 'token',
    name: ODD_TEXT,
    rights: ['decide'],
    lifetimeSeconds: 3600,
    jwk: null,
    address: '2001:db8::1',
    status: 'pending',
    intervalSeconds: 5,
    polledAt: null,
    userId: null,
    deviceKeyId: null,
    createdAt: at(0),
    expiresAt: at(600),
    ...changes,
  };
}

export function describePairings(storage: CurrentStorage): void {
  const insert = (pairing: Pairing) => storage().transaction((tx) => tx.insertPairing(pairing));
  const find = (id: string) => storage().read.findPairing(`hash-of-${id}`);
  const approve = (id: string, now = at(1)) =>
    storage().transaction((tx) =>
      tx.answerPairing(id, { status: 'approved', userId: 'usr_1', deviceKeyId: null }, now),
    );
  const take = (id: string, now = at(1)) => storage().transaction((tx) => tx.takePairing(id, now));

  describe('pairings', () => {
    it('keep every field, and are found by either code', async () => {
      const jwk = { kty: 'EC', crv: 'P-256', x: 'x'.repeat(43), y: 'y'.repeat(43) } as const;
      const ofKey: Partial<Pairing> = { purpose: 'device_key', rights: [], lifetimeSeconds: null, jwk };
      const answered: Partial<Pairing> = { status: 'denied', userId: 'usr_1', deviceKeyId: 'dvk_1' };
      const second = aPairing('par_2', { ...ofKey, ...answered, address: null, polledAt: at(3) });
      await insert(aPairing('par_1'));
      await insert(second);
      expect([await find('par_1'), await find('par_2'), await find('par_3')]).toEqual([
        aPairing('par_1'),
        second,
        undefined,
      ]);
      expect(await storage().read.findPairingByUserCode('CODEpar_2')).toEqual(second);
    });

    it('are not inserted under a code that is in use', async () => {
      expect(await insert(aPairing('par_1'))).toBe(true);
      expect(await insert(aPairing('par_2', { userCode: 'CODEpar_1' }))).toBe(false);
      expect(await find('par_2')).toBeUndefined();
    });

    it('accept polls that keep the interval, until they are answered', async () => {
      await insert(aPairing('par_1'));
      const poll = (now: number) =>
        storage().transaction((tx) => tx.pollPairing('par_1', at(now), at(now - 5)));
      expect([await poll(1), await poll(5), await poll(6)]).toEqual([true, false, true]);
      await storage().transaction((tx) => tx.slowPairing('par_1', 10, at(7)));
      expect(await find('par_1')).toMatchObject({ intervalSeconds: 10, polledAt: at(7) });
      await approve('par_1');
      expect(await poll(60)).toBe(false);
    });

    it('are answered once and taken once, before their expiry, however many try', async () => {
      for (const id of ['par_1', 'par_2', 'par_3']) await insert(aPairing(id));
      expect(await take('par_1')).toBe(false);
      const answers = await Promise.all([approve('par_1'), approve('par_1')]);
      expect(answers.filter(Boolean)).toHaveLength(1);
      const taken = await Promise.all([take('par_1'), take('par_1'), take('par_1')]);
      expect(taken.filter(Boolean)).toHaveLength(1);
      expect(await find('par_1')).toMatchObject({ status: 'taken', userId: 'usr_1' });
      expect(await approve('par_2', at(600))).toBe(false);
      await approve('par_3');
      expect(await take('par_3', at(600))).toBe(false);
    });

    it('give no token for a device key', async () => {
      await insert(aPairing('par_1', { purpose: 'device_key' }));
      await approve('par_1');
      expect(await take('par_1')).toBe(false);
    });

    it('are deleted after their expiry, a few at a time, and with their person', async () => {
      for (const id of ['par_1', 'par_2', 'par_3']) await insert(aPairing(id));
      await insert(aPairing('par_4', { expiresAt: at(601) }));
      const sweep = () => storage().transaction((tx) => tx.deleteExpiredPairings(at(600), 2));
      expect([await sweep(), await sweep(), await sweep()]).toEqual([2, 1, 0]);
      await approve('par_4');
      await storage().transaction((tx) => tx.deletePairingsOf('usr_1'));
      expect(await find('par_4')).toBeUndefined();
    });
  });
}
