import { describe, expect, it } from 'vitest';
import type { CurrentStorage } from './conformance.ts';
import { aProject, at, ODD, ODD_TEXT } from './samples.ts';

export function describeProjects(storage: CurrentStorage): void {
  describe('the storage of projects', () => {
    it('keeps every field of a project, and lists the oldest first', async () => {
      const second = aProject({
        id: 'prj_2',
        name: ODD_TEXT,
        mode: 'test',
        stoppedAt: at(5),
        rateLimitPerMinute: 7,
        revision: 41,
      });
      await storage().transaction((tx) => tx.insertProject(second));
      expect(await storage().read.findProject('prj_2')).toEqual(second);
      expect(await storage().read.listProjects()).toEqual([aProject(), second]);
      expect(await storage().read.findProject('prj_3')).toBeUndefined();
    });

    it('refuses a second project with the same ID as a conflict', async () => {
      const twice = storage().transaction((tx) => tx.insertProject(aProject({ name: 'Other' })));
      await expect(twice).rejects.toMatchObject({ code: 'conflict' });
      expect(await storage().read.listProjects()).toEqual([aProject()]);
    });

    it('raises the revision of one project only, and throws for one that does not exist', async () => {
      await storage().transaction(async (tx) => {
        await tx.insertProject(aProject({ id: 'prj_2' }));
        await tx.bumpProjectRevision('prj_2');
        await tx.bumpProjectRevision('prj_2');
      });
      expect((await storage().read.findProject('prj_1'))?.revision).toBe(1);
      expect((await storage().read.findProject('prj_2'))?.revision).toBe(3);
      await expect(storage().transaction((tx) => tx.bumpProjectRevision('prj_3'))).rejects.toThrow();
    });

    it('sets and removes the rate limit of one project only', async () => {
      const set = (to: number | null) => storage().transaction((tx) => tx.setProjectRateLimit('prj_1', to));
      const limit = async (id: string) => (await storage().read.findProject(id))?.rateLimitPerMinute;
      await storage().transaction((tx) => tx.insertProject(aProject({ id: 'prj_2' })));
      await set(0);
      expect([await limit('prj_1'), await limit('prj_2')]).toEqual([0, null]);
      await set(null);
      expect(await limit('prj_1')).toBeNull();
    });

    it('stops and starts a project, each only once', async () => {
      const set = (to: string | null) => storage().transaction((tx) => tx.setProjectStopped('prj_1', to));
      expect(await set(null)).toBe(false);
      expect(await set(at(1))).toBe(true);
      expect(await set(at(2))).toBe(false);
      expect((await storage().read.findProject('prj_1'))?.stoppedAt).toBe(at(1));
      expect(await set(null)).toBe(true);
      expect((await storage().read.findProject('prj_1'))?.stoppedAt).toBeNull();
      expect(await storage().transaction((tx) => tx.setProjectStopped('prj_9', at(1)))).toBe(false);
    });
  });

  describe('the storage of policies', () => {
    const version = (number: number, projectId = 'prj_1') => ({
      projectId,
      version: number,
      hash: `sha256:${number}`,
      document: { name: 'default', rules: [], odd: ODD, number },
      createdAt: at(number),
      createdBy: 'owner@example.org',
    });

    it('returns the highest version as the active one', async () => {
      expect(await storage().read.findPolicy('prj_1')).toBeUndefined();
      await storage().transaction(async (tx) => {
        await tx.insertProject(aProject({ id: 'prj_2' }));
        for (const number of [1, 2, 10, 3]) await tx.insertPolicyVersion(version(number));
        await tx.insertPolicyVersion(version(11, 'prj_2'));
      });
      expect(await storage().read.findPolicy('prj_1')).toEqual(version(10));
    });

    it('lists versions newest first, page by page', async () => {
      await storage().transaction(async (tx) => {
        for (const number of [1, 2, 3, 4, 5]) await tx.insertPolicyVersion(version(number));
      });
      const first = await storage().read.listPolicyVersions('prj_1', { limit: 2 });
      expect(first).toEqual([version(5), version(4)]);
      const rest = await storage().read.listPolicyVersions('prj_1', { beforeVersion: 4, limit: 10 });
      expect(rest.map((found) => found.version)).toEqual([3, 2, 1]);
    });

    it('gives a version number once: one of two writers gets a conflict', async () => {
      const save = () => storage().transaction((tx) => tx.insertPolicyVersion(version(1)));
      const settled = await Promise.allSettled([save(), save()]);
      expect(settled.filter((one) => one.status === 'fulfilled')).toHaveLength(1);
      expect(settled).toContainEqual({
        status: 'rejected',
        reason: expect.objectContaining({ code: 'conflict' }),
      });
    });

    it('refuses a policy of a project that does not exist', async () => {
      await expect(
        storage().transaction((tx) => tx.insertPolicyVersion(version(1, 'prj_9'))),
      ).rejects.toThrow();
    });
  });
}
