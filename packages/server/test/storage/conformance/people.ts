import type { Role } from '@permitry/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import type { CurrentStorage } from './conformance.ts';
import { aProject, at, aUser, ODD_TEXT } from './samples.ts';

const member = (userId: string, role: Role, projectId = 'prj_1') => ({
  projectId,
  userId,
  email: `${userId}@example.org`,
  role,
  createdAt: at(1),
});

const group = (name: string, memberIds: readonly string[], projectId = 'prj_1') => ({
  projectId,
  name,
  memberIds,
  createdAt: at(2),
});

export function describePeople(storage: CurrentStorage): void {
  describe('people', () => {
    beforeEach(async () => {
      await storage().transaction(async (tx) => {
        await tx.insertProject(aProject({ id: 'prj_2' }));
        for (const id of ['usr_1', 'usr_2', 'usr_3']) await tx.insertUser(aUser(id));
        await tx.saveMember(member('usr_1', 'owner'));
        await tx.saveMember(member('usr_2', 'viewer'));
        await tx.saveMember(member('usr_1', 'viewer', 'prj_2'));
      });
    });

    it('are found by ID, and by address ignoring the case of ASCII letters', async () => {
      const odd = aUser('usr_4', { email: 'Ann.Ä@Example.org', name: ODD_TEXT });
      await storage().transaction((tx) => tx.insertUser(odd));
      expect(await storage().read.findUser('usr_4')).toEqual(odd);
      expect(await storage().read.findUserByEmail('ANN.Ä@example.ORG')).toEqual(odd);
      expect(await storage().read.findUserByEmail('Ann.ä@Example.org')).toBeUndefined();
      expect(await storage().read.findUserByEmail('nobody@example.org')).toBeUndefined();
    });

    it('have unique addresses, ignoring case', async () => {
      const again = aUser('usr_4', { email: 'USR_1@example.org' });
      await expect(storage().transaction((tx) => tx.insertUser(again))).rejects.toMatchObject({
        code: 'conflict',
      });
    });

    it('are listed as members of a project, and with all their memberships', async () => {
      expect(await storage().read.listMembers('prj_1')).toEqual([
        member('usr_1', 'owner'),
        member('usr_2', 'viewer'),
      ]);
      expect(await storage().read.listMemberships('usr_1')).toEqual([
        member('usr_1', 'owner'),
        member('usr_1', 'viewer', 'prj_2'),
      ]);
    });

    it('change only their role when they are saved as members again', async () => {
      await storage().transaction((tx) =>
        tx.saveMember({ ...member('usr_2', 'approver'), createdAt: at(99) }),
      );
      expect(await storage().read.listMembers('prj_1')).toContainEqual(member('usr_2', 'approver'));
    });

    it('leave every group of the project that they leave, and no group of another', async () => {
      await storage().transaction(async (tx) => {
        await tx.saveGroup(group('finance', ['usr_1', 'usr_2']));
        await tx.saveGroup(group('security', ['usr_1']));
        await tx.saveGroup(group('finance', ['usr_1'], 'prj_2'));
      });
      const leave = () => storage().transaction((tx) => tx.removeMember('prj_1', 'usr_1'));
      expect(await leave()).toBe(true);
      expect(await leave()).toBe(false);
      expect(await storage().read.listGroups('prj_1')).toEqual([
        group('finance', ['usr_2']),
        group('security', []),
      ]);
      expect(await storage().read.listGroups('prj_2')).toEqual([group('finance', ['usr_1'], 'prj_2')]);
      expect(await storage().read.listMemberships('usr_1')).toEqual([member('usr_1', 'viewer', 'prj_2')]);
    });

    it('replace the earlier members of a group that is saved again, which keeps its creation time', async () => {
      await storage().transaction((tx) => tx.saveGroup(group('finance', ['usr_1'])));
      await storage().transaction((tx) =>
        tx.saveGroup({ ...group('finance', ['usr_2', 'usr_2']), createdAt: at(9) }),
      );
      expect(await storage().read.listGroups('prj_1')).toEqual([group('finance', ['usr_2'])]);
    });

    it('cannot be in a group without being a member of the project', async () => {
      const stranger = storage().transaction((tx) => tx.saveGroup(group('finance', ['usr_1', 'usr_3'])));
      await expect(stranger).rejects.toThrow();
      expect(await storage().read.listGroups('prj_1')).toEqual([]);
    });

    it('have groups listed in the byte order of their names', async () => {
      const names = ['Zeta', '_', 'alpha', 'beta', 'eta', '\u00e9ta', '\uff5e', '\u{1f600}'];
      for (const name of names.toReversed()) {
        await storage().transaction((tx) => tx.saveGroup(group(name, [])));
      }
      expect((await storage().read.listGroups('prj_1')).map(({ name }) => name)).toEqual(names);
    });

    it('lose a group that is removed, which succeeds only once', async () => {
      await storage().transaction((tx) => tx.saveGroup(group('finance', ['usr_1'])));
      const remove = () => storage().transaction((tx) => tx.removeGroup('prj_1', 'finance'));
      expect(await remove()).toBe(true);
      expect(await remove()).toBe(false);
      expect(await storage().read.listGroups('prj_1')).toEqual([]);
    });
  });
}
