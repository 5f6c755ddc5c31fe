import { beforeEach, describe, expect, it } from 'vitest';
import type { PolicyProposal } from '../../../src/gate/four-eyes/policy-proposal.ts';
import type { CurrentStorage } from './conformance.ts';
import { aProject, at, aUser, ODD, ODD_TEXT } from './samples.ts';

function aProposal(id: string, changes: Partial<PolicyProposal> = {}): PolicyProposal {
  return {
    id,
    projectId: 'prj_1',
    change: 'policy',
    hash: 'sha256:aa',
    document: { name: 'proposed', odd: ODD },
    basedOn: { version: 3, hash: 'sha256:bb' },
    comment: ODD_TEXT,
    proposedBy: { id: 'usr_1', display: 'usr_1@example.org' },
    createdAt: at(0),
    status: 'pending',
    resolvedBy: null,
    resolvedAt: null,
    reason: null,
    version: null,
    ...changes,
  };
}

export function describePolicyProposals(storage: CurrentStorage): void {
  const insert = (...proposals: PolicyProposal[]) =>
    storage().transaction(async (tx) => {
      for (const proposal of proposals) await tx.insertPolicyProposal(proposal);
    });
  const approve = (id: string) =>
    storage().transaction((tx) =>
      tx.resolvePolicyProposal(id, {
        status: 'approved',
        at: at(5),
        by: { id: 'usr_2', display: 'usr_2@example.org' },
        reason: ODD_TEXT,
        version: 4,
      }),
    );
  const find = (id: string, projectId = 'prj_1') => storage().read.findPolicyProposal(projectId, id);

  describe('policy proposals', () => {
    beforeEach(() =>
      storage().transaction(async (tx) => {
        await tx.insertProject(aProject({ id: 'prj_2', name: 'Second' }));
        await tx.insertUser(aUser('usr_1'));
        await tx.insertUser(aUser('usr_2'));
      }),
    );

    it('keep every field, for their project only', async () => {
      const off = aProposal('prp_2', {
        change: 'second_person_off',
        hash: null,
        document: null,
        comment: null,
      });
      await insert(aProposal('prp_1'), off);
      expect(await find('prp_1')).toEqual(aProposal('prp_1'));
      expect(await find('prp_2')).toEqual(off);
      expect(await find('prp_1', 'prj_2')).toBeUndefined();
      expect(await find('prp_3')).toBeUndefined();
    });

    it('are listed newest first, by status, page by page', async () => {
      await insert(
        aProposal('prp_1'),
        aProposal('prp_2'),
        aProposal('prp_3'),
        aProposal('prp_4', { projectId: 'prj_2' }),
      );
      await approve('prp_2');
      const ids = async (page: Parameters<ReturnType<CurrentStorage>['read']['listPolicyProposals']>[1]) =>
        (await storage().read.listPolicyProposals('prj_1', page)).map(({ id }) => id);
      expect(await ids({ limit: 10 })).toEqual(['prp_3', 'prp_2', 'prp_1']);
      expect(await ids({ limit: 2 })).toEqual(['prp_3', 'prp_2']);
      expect(await ids({ beforeId: 'prp_2', limit: 10 })).toEqual(['prp_1']);
      expect(await ids({ status: 'pending', limit: 10 })).toEqual(['prp_3', 'prp_1']);
      expect(await ids({ status: 'pending', beforeId: 'prp_3', limit: 10 })).toEqual(['prp_1']);
      expect(await ids({ status: 'approved', limit: 10 })).toEqual(['prp_2']);
      const { hash, document, comment, resolvedBy, resolvedAt, reason, version, ...waiting } =
        aProposal('prp_1');
      expect(await storage().read.listWaitingProposals('prj_1')).toEqual([
        waiting,
        { ...waiting, id: 'prp_3' },
      ]);
    });

    it('are resolved once', async () => {
      await insert(aProposal('prp_1'));
      expect(await approve('prp_1')).toBe(true);
      const resolved = aProposal('prp_1', {
        status: 'approved',
        resolvedAt: at(5),
        resolvedBy: { id: 'usr_2', display: 'usr_2@example.org' },
        reason: ODD_TEXT,
        version: 4,
      });
      expect(await find('prp_1')).toEqual(resolved);
      expect(await approve('prp_1')).toBe(false);
      expect(await find('prp_1')).toEqual(resolved);
      expect(await approve('prp_9')).toBe(false);
    });

    it('lose the names and comments of an erased person, and once resolved also the documents that name them', async () => {
      const named = { name: 'p', default: { approvers: ['USR_1@example.org'] }, rules: [] };
      await insert(aProposal('prp_1', { document: named }), aProposal('prp_2', { document: named }));
      await approve('prp_1');
      await storage().transaction((tx) => tx.eraseAuthor('prj_1', 'usr_1@example.org', 'usr_1'));
      expect(await find('prp_1')).toMatchObject({
        proposedBy: { id: 'usr_1', display: 'usr_1' },
        resolvedBy: { id: 'usr_2', display: 'usr_2@example.org' },
        comment: null,
        reason: ODD_TEXT,
        document: null,
        hash: 'sha256:aa',
      });
      expect(await find('prp_2')).toMatchObject({ document: named, comment: null });
      await storage().transaction((tx) => tx.eraseAuthor('prj_1', 'usr_2@example.org', 'usr_2'));
      expect(await find('prp_1')).toMatchObject({
        resolvedBy: { id: 'usr_2', display: 'usr_2' },
        reason: null,
      });
    });
  });

  describe('the two-person rule of a project', () => {
    it('is switched on and off, once each', async () => {
      const set = (required: boolean) =>
        storage().transaction((tx) => tx.setPolicySecondPerson('prj_1', required));
      const isAsked = async () => (await storage().read.findProject('prj_1'))?.policySecondPerson;
      expect(await isAsked()).toBe(false);
      expect([await set(false), await set(true), await set(true)]).toEqual([false, true, false]);
      expect(await isAsked()).toBe(true);
      expect([await set(false), await isAsked()]).toEqual([true, false]);
    });
  });
}
