import { beforeEach, describe, expect, it } from 'vitest';
import type { ApiKey } from '../../../src/gate/access/credential.ts';
import { addSeconds } from '../../../src/gate/kernel/instant.ts';
import type { CurrentStorage } from './conformance.ts';
import { aKey, anAgent, aProject, at, aUser, ODD_TEXT } from './samples.ts';

export function describeCredentials(storage: CurrentStorage): void {
  describe('the storage of credentials', () => {
    const insert = (...keys: ApiKey[]) =>
      storage().transaction(async (tx) => {
        for (const key of keys) await tx.insertKey(key);
      });

    beforeEach(async () => {
      await storage().transaction(async (tx) => {
        await tx.insertUser(aUser('usr_1'));
        await tx.saveMember({
          projectId: 'prj_1',
          userId: 'usr_1',
          email: 'usr_1@example.org',
          role: 'admin',
          createdAt: at(0),
        });
        await tx.insertAgent(anAgent('agt_1', { labels: { team: 'a' }, framework: 'own', riskTier: 'high' }));
      });
    });

    const project = { id: 'prj_1', mode: 'live', stoppedAt: null, revision: 1, rateLimitPerMinute: null };

    it('finds a secret key with its project and its owner, in one statement', async () => {
      const key = aKey('key_1', {
        kind: 'secret',
        name: ODD_TEXT,
        ownerId: 'usr_1',
        rateLimitPerMinute: 5,
        expiresAt: at(100),
      });
      await insert(key);
      const before = storage().stats().statementsRead;
      expect(await storage().read.findCredential(key.hash)).toEqual({
        key,
        project,
        agent: null,
        owner: { id: 'usr_1', email: 'usr_1@example.org', role: 'admin' },
      });
      expect(storage().stats().statementsRead - before).toBe(1);
    });

    it('finds an agent key with its agent and the agent’s owner, but without an owner of its own', async () => {
      const key = aKey('key_1', { kind: 'agent', agentId: 'agt_1' });
      await insert(key);
      const owned = { id: 'agt_1', ownerId: 'usr_1', behind: ['usr_1'], ownerLeftAt: null };
      await storage().transaction((tx) => tx.setAgentOwner(owned));
      expect(await storage().read.findCredential(key.hash)).toEqual({
        key,
        project,
        agent: {
          id: 'agt_1',
          name: 'agent agt_1',
          status: 'active',
          riskTier: 'high',
          labels: { team: 'a' },
          framework: 'own',
          ownerId: 'usr_1',
        },
        owner: null,
      });
    });

    it('returns the expiry of a key whose agent’s owner left, in every read', async () => {
      const key = aKey('key_1', { kind: 'agent', agentId: 'agt_1', createdAt: at(1) });
      await insert(key);
      const leave = (ownerLeftAt: string | null) =>
        storage().transaction((tx) =>
          tx.setAgentOwner({ id: 'agt_1', ownerId: 'usr_1', behind: [], ownerLeftAt }),
        );
      const { read } = storage();
      const ends = async () => [
        (await read.findCredential(key.hash))?.key.endsWithOwnerAt,
        (await read.findKey('key_1'))?.endsWithOwnerAt,
        (await read.listKeys('prj_1', { limit: 10 })).find(({ id }) => id === 'key_1')?.endsWithOwnerAt,
      ];
      expect(await ends()).toEqual([null, null, null]);
      await leave(at(1));
      const end = addSeconds(at(1), 7 * 24 * 60 * 60);
      expect(await ends()).toEqual([end, end, end]);
      // Here the keys were created after their agent's owner left.
      await leave(at(0));
      expect(await ends()).toEqual([null, null, null]);
    });

    it('finds a user token with its person and without a project', async () => {
      const key = aKey('key_1', {
        kind: 'user',
        projectId: null,
        ownerId: 'usr_1',
        rights: ['decide', 'manage'],
      });
      await insert(key);
      expect(await storage().read.findCredential(key.hash)).toEqual({
        key,
        project: null,
        agent: null,
        owner: { id: 'usr_1', email: 'usr_1@example.org', role: null },
      });
    });

    it('shows the current state: a stopped project, a paused agent, a lost role, a revoked key', async () => {
      await insert(
        aKey('key_1', { kind: 'secret', ownerId: 'usr_1' }),
        aKey('key_2', { kind: 'agent', agentId: 'agt_1' }),
      );
      await storage().transaction(async (tx) => {
        await tx.setProjectStopped('prj_1', at(5));
        await tx.bumpProjectRevision('prj_1');
        await tx.setAgentStatus('agt_1', ['active'], 'paused');
        await tx.removeMember('prj_1', 'usr_1');
        await tx.revokeKey('key_1', at(6));
      });
      const secret = await storage().read.findCredential('hash of key_1');
      expect(secret?.project).toEqual({ ...project, stoppedAt: at(5), revision: 2 });
      expect(secret?.owner).toEqual({ id: 'usr_1', email: 'usr_1@example.org', role: null });
      expect(secret?.key.revokedAt).toBe(at(6));
      expect((await storage().read.findCredential('hash of key_2'))?.agent?.status).toBe('paused');
    });

    it('finds nothing for another hash, and stores a hash once', async () => {
      await insert(aKey('key_1'));
      expect(await storage().read.findCredential('hash of key_9')).toBeUndefined();
      expect(await storage().read.findCredential('HASH OF KEY_1')).toBeUndefined();
      await expect(insert(aKey('key_2', { hash: 'hash of key_1' }))).rejects.toMatchObject({
        code: 'conflict',
      });
    });

    it('refuses a key of an agent, person or project that does not exist', async () => {
      await expect(insert(aKey('key_1', { agentId: 'agt_9' }))).rejects.toThrow();
      await expect(insert(aKey('key_1', { ownerId: 'usr_9' }))).rejects.toThrow();
      await expect(insert(aKey('key_1', { projectId: 'prj_9' }))).rejects.toThrow();
      expect(await storage().read.findKey('key_1')).toBeUndefined();
    });

    it('revokes a key once, and keeps the time', async () => {
      await insert(aKey('key_1'), aKey('key_2'));
      const revoke = (when: string) => storage().transaction((tx) => tx.revokeKey('key_1', when));
      expect(await revoke(at(1))).toBe(true);
      expect(await revoke(at(2))).toBe(false);
      expect((await storage().read.findKey('key_1'))?.revokedAt).toBe(at(1));
      expect((await storage().read.findKey('key_2'))?.revokedAt).toBeNull();
    });

    it('keeps the latest time at which a key was used', async () => {
      await insert(aKey('key_1'), aKey('key_2'));
      await storage().transaction(async (tx) => {
        await tx.touchKeys(['key_1', 'key_2'], at(20));
        await tx.touchKeys(['key_2'], at(10));
      });
      expect((await storage().read.findKey('key_1'))?.lastUsedAt).toBe(at(20));
      expect((await storage().read.findKey('key_2'))?.lastUsedAt).toBe(at(20));
    });

    it('lists the keys of a project newest first, page by page', async () => {
      await storage().transaction((tx) => tx.insertProject(aProject({ id: 'prj_2' })));
      await insert(
        aKey('key_1'),
        aKey('key_2', { projectId: 'prj_2' }),
        aKey('key_3', { kind: 'user', projectId: null, ownerId: 'usr_1' }),
        aKey('key_4'),
        aKey('key_5'),
      );
      const first = await storage().read.listKeys('prj_1', { limit: 2 });
      expect(first).toEqual([aKey('key_5'), aKey('key_4')]);
      const second = await storage().read.listKeys('prj_1', { beforeId: 'key_4', limit: 2 });
      expect(second).toEqual([aKey('key_1')]);
    });

    it('lists the user tokens of a person newest first, page by page', async () => {
      await storage().transaction((tx) => tx.insertUser(aUser('usr_2')));
      const token = (id: string, ownerId: string) => aKey(id, { kind: 'user', projectId: null, ownerId });
      await insert(
        token('key_1', 'usr_1'),
        token('key_2', 'usr_2'),
        aKey('key_3', { kind: 'secret', ownerId: 'usr_1' }),
        token('key_4', 'usr_1'),
        token('key_5', 'usr_1'),
      );
      const first = await storage().read.listUserTokens('usr_1', { limit: 2 });
      expect(first).toEqual([token('key_5', 'usr_1'), token('key_4', 'usr_1')]);
      const second = await storage().read.listUserTokens('usr_1', { beforeId: 'key_4', limit: 2 });
      expect(second).toEqual([token('key_1', 'usr_1')]);
      expect(await storage().read.listUserTokens('usr_1', { beforeId: 'key_2', limit: 2 })).toEqual([]);
    });
  });
}
