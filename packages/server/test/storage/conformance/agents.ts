import { describe, expect, it } from 'vitest';
import type { AgentStatus } from '../../../src/gate/access/agent-identity.ts';
import type { CurrentStorage } from './conformance.ts';
import { anAgent, aProject, at, aUser, ODD, ODD_TEXT } from './samples.ts';

export function describeAgents(storage: CurrentStorage): void {
  describe('the storage of agents', () => {
    it('keeps every field of an agent', async () => {
      const odd = anAgent('agt_1', {
        name: ODD_TEXT,
        fingerprint: 'ff:00',
        framework: 'own',
        labels: ODD,
        riskTier: 'critical',
        status: 'paused',
        ownerId: 'usr_1',
        behind: ['usr_1', 'operator'],
        ownerLeftAt: at(2),
      });
      await storage().transaction(async (tx) => {
        await tx.insertUser(aUser('usr_1'));
        await tx.insertAgent(odd);
      });
      expect(await storage().read.findAgent('prj_1', 'agt_1')).toEqual(odd);
      expect(await storage().read.findAgentByName('prj_1', ODD_TEXT)).toEqual(odd);
    });

    it('does not find an agent of another project', async () => {
      await storage().transaction(async (tx) => {
        await tx.insertProject(aProject({ id: 'prj_2' }));
        await tx.insertAgent(anAgent('agt_1', { name: 'bot' }));
      });
      expect(await storage().read.findAgent('prj_2', 'agt_1')).toBeUndefined();
      expect(await storage().read.findAgentByName('prj_2', 'bot')).toBeUndefined();
    });

    it('accepts a name once per project, and treats two Unicode spellings as two names', async () => {
      await storage().transaction(async (tx) => {
        await tx.insertProject(aProject({ id: 'prj_2' }));
        await tx.insertAgent(anAgent('agt_1', { name: 'caf\u00e9' }));
        await tx.insertAgent(anAgent('agt_2', { name: 'cafe\u0301' }));
        await tx.insertAgent(anAgent('agt_3', { name: 'caf\u00e9', projectId: 'prj_2' }));
      });
      const twice = storage().transaction((tx) => tx.insertAgent(anAgent('agt_4', { name: 'caf\u00e9' })));
      await expect(twice).rejects.toMatchObject({ code: 'conflict' });
      const renamed = storage().transaction((tx) => tx.updateAgent(anAgent('agt_2', { name: 'caf\u00e9' })));
      await expect(renamed).rejects.toMatchObject({ code: 'conflict' });
    });

    it('treats a name in capitals as the same name', async () => {
      await storage().transaction(async (tx) => {
        await tx.insertAgent(anAgent('agt_1', { name: 'Refund-Bot' }));
        await tx.insertAgent(anAgent('agt_2', { name: 'other' }));
      });
      for (const name of ['Refund-Bot', 'refund-bot', 'REFUND-BOT']) {
        expect((await storage().read.findAgentByName('prj_1', name))?.name).toBe('Refund-Bot');
      }
      const twice = storage().transaction((tx) => tx.insertAgent(anAgent('agt_3', { name: 'refund-BOT' })));
      await expect(twice).rejects.toMatchObject({ code: 'conflict' });
      const renamed = storage().transaction((tx) => tx.updateAgent(anAgent('agt_2', { name: 'refund-BOT' })));
      await expect(renamed).rejects.toMatchObject({ code: 'conflict' });
      await storage().transaction((tx) => tx.updateAgent(anAgent('agt_1', { name: 'REFUND-bot' })));
      expect((await storage().read.findAgentByName('prj_1', 'refund-bot'))?.name).toBe('REFUND-bot');
    });

    it('keeps the owner and the people behind an agent separately from the profile', async () => {
      const owned = { id: 'agt_1', ownerId: 'usr_1', behind: ['usr_1'], ownerLeftAt: at(5) };
      await storage().transaction(async (tx) => {
        await tx.insertUser(aUser('usr_1'));
        await tx.insertAgent(anAgent('agt_1'));
        await tx.insertAgent(anAgent('agt_2'));
        await tx.setAgentOwner(owned);
        await tx.updateAgent(anAgent('agt_1', { name: 'new', behind: [] }));
        await tx.setPeopleBehindAgent({ id: 'agt_1', behind: ['usr_1', 'usr_2'] });
      });
      const { read } = storage();
      const expected = anAgent('agt_1', { ...owned, name: 'new', behind: ['usr_1', 'usr_2'] });
      expect(await read.findAgent('prj_1', 'agt_1')).toEqual(expected);
      expect(await read.findAgent('prj_1', 'agt_2')).toEqual(anAgent('agt_2'));
      expect(await read.listAgentsOwnedBy('prj_1', 'usr_1')).toEqual([expected]);
      expect(await read.listAgentsOwnedBy('prj_2', 'usr_1')).toEqual([]);
    });

    it('lists agents whose owner left before an instant, until people are warned, and again when that time changes', async () => {
      await storage().transaction(async (tx) => {
        await tx.insertAgent(anAgent('agt_1', { ownerLeftAt: at(5) }));
        await tx.insertAgent(anAgent('agt_2', { ownerLeftAt: at(7) }));
        await tx.insertAgent(anAgent('agt_3'));
      });
      const toWarnOf = async (instant: string) =>
        (await storage().read.listAgentsToWarnOf(instant, 10)).map(({ id }) => id);
      expect(await toWarnOf(at(5))).toEqual([]);
      expect(await toWarnOf(at(6))).toEqual(['agt_1']);
      expect(await toWarnOf(at(8))).toEqual(['agt_1', 'agt_2']);
      const mark = () =>
        storage().transaction((tx) => tx.markOwnerLeftWarned({ id: 'agt_1', ownerLeftAt: at(5) }));
      const moved = { id: 'agt_1', ownerLeftAt: at(4) };
      expect(await storage().transaction((tx) => tx.markOwnerLeftWarned(moved))).toBe(false);
      expect([await mark(), await mark()]).toEqual([true, false]);
      expect(await toWarnOf(at(8))).toEqual(['agt_2']);
      const owned = { id: 'agt_1', ownerId: null, behind: [], ownerLeftAt: at(6) };
      await storage().transaction((tx) => tx.setAgentOwner(owned));
      expect(await toWarnOf(at(8))).toEqual(['agt_1', 'agt_2']);
    });

    it('updates the profile, but neither status nor history', async () => {
      await storage().transaction(async (tx) => {
        await tx.insertAgent(anAgent('agt_1', { status: 'paused' }));
        await tx.touchAgents(['agt_1'], at(4));
        await tx.insertAgent(anAgent('agt_2'));
        await tx.updateAgent(anAgent('agt_1', { name: 'new', labels: { team: 'a' }, riskTier: 'high' }));
      });
      expect(await storage().read.findAgent('prj_1', 'agt_1')).toEqual(
        anAgent('agt_1', {
          name: 'new',
          labels: { team: 'a' },
          riskTier: 'high',
          status: 'paused',
          lastSeenAt: at(4),
        }),
      );
      expect(await storage().read.findAgent('prj_1', 'agt_2')).toEqual(anAgent('agt_2'));
    });

    it('changes the status only if the current one is among the given ones', async () => {
      await storage().transaction((tx) => tx.insertAgent(anAgent('agt_1')));
      const set = (from: readonly AgentStatus[], to: AgentStatus) =>
        storage().transaction((tx) => tx.setAgentStatus('agt_1', from, to));
      expect(await set(['paused'], 'active')).toBe(false);
      expect(await set([], 'paused')).toBe(false);
      expect(await set(['active'], 'paused')).toBe(true);
      expect(await set(['active', 'paused'], 'revoked')).toBe(true);
      expect(await set(['active', 'paused'], 'active')).toBe(false);
      expect((await storage().read.findAgent('prj_1', 'agt_1'))?.status).toBe('revoked');
    });

    it('lists newest first, and a page stays stable while agents are added', async () => {
      const add = (...ids: string[]) =>
        storage().transaction(async (tx) => {
          for (const id of ids) await tx.insertAgent(anAgent(id));
        });
      await add('agt_1', 'agt_2', 'agt_3', 'agt_4');
      const first = await storage().read.listAgents('prj_1', { limit: 2 });
      expect(first.map((agent) => agent.id)).toEqual(['agt_4', 'agt_3']);
      await add('agt_5');
      const second = await storage().read.listAgents('prj_1', { beforeId: 'agt_3', limit: 2 });
      expect(second.map((agent) => agent.id)).toEqual(['agt_2', 'agt_1']);
    });

    it('keeps the latest time at which an agent was seen', async () => {
      await storage().transaction(async (tx) => {
        await tx.insertAgent(anAgent('agt_1'));
        await tx.insertAgent(anAgent('agt_2'));
        await tx.touchAgents(['agt_1', 'agt_9'], at(20));
        await tx.touchAgents(['agt_1'], at(10));
      });
      expect((await storage().read.findAgent('prj_1', 'agt_1'))?.lastSeenAt).toBe(at(20));
      expect((await storage().read.findAgent('prj_1', 'agt_2'))?.lastSeenAt).toBeNull();
    });
  });
}
