import { beforeEach, describe, expect, it } from 'vitest';
import type { Passkey, PasskeyChallenge } from '../../../src/people/passkeys/passkey.ts';
import type { CurrentStorage } from './conformance.ts';
import { at, aUser, ODD_TEXT } from './samples.ts';

function aPasskey(id: string, changes: Partial<Passkey> = {}): Passkey {
  return {
    id,
    userId: 'usr_1',
    credentialId: `credential-of-${id}`,
    publicKey: 'pQECAyYg',
    jwk: { kty: 'OKP', crv: 'Ed25519', x: 'x'.repeat(43), alg: 'EdDSA' },
    signCount: 0,
    transports: ['internal', 'hybrid'],
    backedUp: true,
    name: ODD_TEXT,
    createdAt: at(0),
    lastUsedAt: null,
    ...changes,
  };
}

function aChallenge(ticketHash: string, changes: Partial<PasskeyChallenge> = {}): PasskeyChallenge {
  return {
    ticketHash,
    purpose: 'register',
    userId: 'usr_1',
    challenge: 'c2lnbiB0aGlz',
    expiresAt: at(300),
    ...changes,
  };
}

export function describePasskeys(storage: CurrentStorage): void {
  const change = <T>(work: Parameters<ReturnType<CurrentStorage>['transaction']>[0]) =>
    storage().transaction(work) as Promise<T>;
  const insert = (passkey: Passkey) => change<boolean>((tx) => tx.insertPasskey(passkey));
  const list = (userId = 'usr_1') => storage().read.listPasskeys(userId);

  describe('passkeys', () => {
    beforeEach(() =>
      storage().transaction(async (tx) => {
        await tx.insertUser(aUser('usr_1'));
        await tx.insertUser(aUser('usr_2'));
      }),
    );

    it('keep every field, are listed oldest first, and are found by their credential', async () => {
      const [first, second] = [aPasskey('pky_2'), aPasskey('pky_1', { lastUsedAt: at(5), backedUp: false })];
      await insert(first);
      await insert(second);
      await insert(aPasskey('pky_3', { userId: 'usr_2' }));
      expect(await list()).toEqual([first, second]);
      expect(await storage().read.findPasskey(second.credentialId)).toEqual(second);
      expect(await storage().read.findPasskey('unknown')).toBeUndefined();
    });

    it('belong to one person: a credential that is already known is not inserted', async () => {
      expect(await insert(aPasskey('pky_1'))).toBe(true);
      const again = aPasskey('pky_2', { userId: 'usr_2', credentialId: 'credential-of-pky_1' });
      expect(await insert(again)).toBe(false);
      expect(await list('usr_2')).toEqual([]);
    });

    it('are renamed and deleted only by the person they belong to', async () => {
      await insert(aPasskey('pky_1'));
      expect(await change((tx) => tx.renamePasskey('usr_2', 'pky_1', 'x'))).toBe(false);
      expect(await change((tx) => tx.renamePasskey('usr_1', 'pky_1', 'Laptop'))).toBe(true);
      expect((await list())[0]?.name).toBe('Laptop');
      expect(await change((tx) => tx.deletePasskey('usr_2', 'pky_1'))).toBe(false);
      expect(await change((tx) => tx.deletePasskey('usr_1', 'pky_1'))).toBe(true);
      expect(await list()).toEqual([]);
    });

    it('are used only with a counter that rises, or that has always been 0', async () => {
      await insert(aPasskey('pky_1'));
      const use = (signCount: number) =>
        change((tx) => tx.usePasskey('pky_1', { signCount, backedUp: false, at: at(signCount) }));
      expect([await use(0), await use(0), await use(3), await use(3), await use(2), await use(0)]).toEqual([
        true,
        true,
        true,
        false,
        false,
        false,
      ]);
      expect(await list()).toMatchObject([{ signCount: 3, backedUp: false, lastUsedAt: at(3) }]);
    });

    it('return a challenge only once, for its purpose and before its expiry', async () => {
      const take = (ticket: string, purpose: PasskeyChallenge['purpose'] = 'register', now = at(1)) =>
        change((tx) => tx.takePasskeyChallenge(ticket, purpose, now));
      const nobodys = aChallenge('t2', { purpose: 'sign_in', userId: null });
      await change(async (tx) => {
        await tx.insertPasskeyChallenge(aChallenge('t1'));
        await tx.insertPasskeyChallenge(nobodys);
        await tx.insertPasskeyChallenge(aChallenge('t3'));
      });
      expect(await take('t1', 'confirm')).toBeUndefined();
      expect(await take('t1')).toEqual(aChallenge('t1'));
      expect(await take('t1')).toBeUndefined();
      expect(await take('t2', 'sign_in')).toEqual(nobodys);
      expect(await take('t3', 'register', at(300))).toBeUndefined();
      expect(await take('t3')).toBeUndefined();
    });

    it('lose expired challenges, a few at a time', async () => {
      await change(async (tx) => {
        for (const ticket of ['t1', 't2', 't3']) await tx.insertPasskeyChallenge(aChallenge(ticket));
        await tx.insertPasskeyChallenge(aChallenge('t4', { expiresAt: at(301) }));
      });
      const sweep = () => change((tx) => tx.deleteExpiredPasskeyChallenges(at(300), 2));
      expect([await sweep(), await sweep(), await sweep()]).toEqual([2, 1, 0]);
    });

    it('are deleted with their person, together with pending challenges', async () => {
      await insert(aPasskey('pky_1'));
      await insert(aPasskey('pky_2', { userId: 'usr_2' }));
      await change((tx) => tx.insertPasskeyChallenge(aChallenge('t1')));
      await change((tx) => tx.deletePasskeysOf('usr_1'));
      expect([await list(), (await list('usr_2')).length]).toEqual([[], 1]);
      expect(await change((tx) => tx.takePasskeyChallenge('t1', 'register', at(1)))).toBeUndefined();
    });
  });
}
