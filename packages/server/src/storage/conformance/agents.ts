import { describe, expect, it } from 'vitest';
import type { AgentStatus } from '../../gate/agents/agent.ts';
import type { CurrentStorage } from '../conformance.ts';
import { anAgent, aProject, at, ODD, ODD_TEXT } from './samples.ts';

export function describeAgents(storage: CurrentStorage): void {
  describe('agents', () => {
    it('keeps all of an agent', async () => {
      const odd = anAgent('agt_1', {
        name: ODD_TEXT,
        fingerprint: 'ff:00',
        framework: 'own',
        labels: ODD,
        riskTier: 'critical',
        status: 'paused',
        lastSeenAt: at(3),
      });
      await storage().transaction((tx) => tx.insertAgent(odd));
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

    it('gives a name once per project; two spellings of Unicode are two names', async () => {
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

    it('takes a name in capitals for the same name', async () => {
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

    it('updates the profile, and neither status nor history', async () => {
      await storage().transaction(async (tx) => {
        await tx.insertAgent(anAgent('agt_1', { status: 'paused', lastSeenAt: at(4) }));
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

    it('changes the status only from one of those named', async () => {
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

    it('lists newest first; a page stays where it was while agents are added', async () => {
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

    it('remembers when an agent was last seen, never an earlier time', async () => {
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
