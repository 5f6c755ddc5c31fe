import type { PasskeyEvidence } from '@permitry/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ProofSession } from '../../../src/gate/proof/proof-session.ts';
import type { CurrentStorage } from './conformance.ts';
import { anIntent, at, aUser, aVote } from './samples.ts';

const EVIDENCE: PasskeyEvidence = {
  credential_id: 'AAAA',
  rp_id: 'gate.example',
  origin: 'https://gate.example',
  challenge: { decision: 'approve', approver: 'usr_1@example.org', nonce: 'bm9uY2U', exp: 1_795_176_000 },
  authenticator_data: 'AAAA',
  client_data_json: 'AAAA',
  signature: 'AAAA',
};

function aProof(id: string, changes: Partial<ProofSession> = {}): ProofSession {
  return {
    id,
    userId: 'usr_1',
    credentialId: null,
    approver: 'usr_1@example.org',
    intentId: 'int_1',
    decision: 'approve',
    method: 'passkey',
    nonce: 'bm9uY2U',
    exp: 1_795_176_000,
    tries: 0,
    status: 'pending',
    evidence: null,
    expiresAt: at(300),
    ...changes,
  };
}

export function describeProofSessions(storage: CurrentStorage): void {
  const find = (id: string) => storage().read.findProofSession(id);
  const insert = (...sessions: ProofSession[]) =>
    storage().transaction(async (tx) => {
      for (const session of sessions) await tx.insertProofSession(session);
    });
  const attempt = (id: string, now = at(1)) => storage().transaction((tx) => tx.tryProofSession(id, 2, now));
  const complete = (id: string, now = at(1)) =>
    storage().transaction((tx) => tx.completeProofSession(id, EVIDENCE, now));
  const spend = (id: string, now = at(1)) => storage().transaction((tx) => tx.spendProofSession(id, now));

  describe('proof sessions', () => {
    beforeEach(() => storage().transaction((tx) => tx.insertUser(aUser('usr_1'))));

    it('keep every field', async () => {
      const completed = aProof('prf_2', {
        status: 'completed',
        evidence: EVIDENCE,
        method: 'device',
        credentialId: 'key_1',
        decision: 'deny',
        tries: 1,
      });
      await insert(aProof('prf_1'), completed);
      expect([await find('prf_1'), await find('prf_2'), await find('prf_3')]).toEqual([
        aProof('prf_1'),
        completed,
        undefined,
      ]);
    });

    it('accept a limited number of tries, however many come at once, and none after their expiry', async () => {
      await insert(aProof('prf_1'), aProof('prf_2'));
      const tries = await Promise.all([attempt('prf_1'), attempt('prf_1'), attempt('prf_1')]);
      expect(tries.filter(Boolean)).toHaveLength(2);
      expect((await find('prf_1'))?.tries).toBe(2);
      expect(await attempt('prf_2', at(300))).toBe(false);
    });

    it('are completed once and then used once, both before their expiry', async () => {
      await insert(aProof('prf_1'), aProof('prf_2'), aProof('prf_3'));
      expect(await spend('prf_1')).toBe(false);
      expect([await complete('prf_1'), await complete('prf_1')]).toEqual([true, false]);
      expect(await find('prf_1')).toMatchObject({ status: 'completed', evidence: EVIDENCE });
      expect(await attempt('prf_1')).toBe(false);
      const spent = await Promise.all([spend('prf_1'), spend('prf_1')]);
      expect(spent.filter(Boolean)).toHaveLength(1);
      // The signature is now stored with the vote instead.
      expect(await find('prf_1')).toMatchObject({ status: 'spent', evidence: null });
      expect(await complete('prf_2', at(300))).toBe(false);
      await complete('prf_3');
      expect(await spend('prf_3', at(300))).toBe(false);
    });

    it('are deleted after their expiry, a few at a time, and with their person', async () => {
      await insert(
        aProof('prf_1'),
        aProof('prf_2'),
        aProof('prf_3'),
        aProof('prf_4', { expiresAt: at(301) }),
      );
      const sweep = () => storage().transaction((tx) => tx.deleteExpiredProofSessions(at(300), 2));
      expect([await sweep(), await sweep(), await sweep()]).toEqual([2, 1, 0]);
      await storage().transaction((tx) => tx.deleteProofSessionsOf('usr_1'));
      expect(await find('prf_4')).toBeUndefined();
    });

    it('leave the signature with the vote', async () => {
      const vote = aVote('int_1', 'usr_1', { method: 'passkey', evidence: EVIDENCE });
      await storage().transaction(async (tx) => {
        await tx.insertIntent(anIntent('int_1'));
        await tx.saveApproval(vote);
      });
      expect(await storage().read.listApprovals('int_1')).toEqual([vote]);
    });
  });
}
