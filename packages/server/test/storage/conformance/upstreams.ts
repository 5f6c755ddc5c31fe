import { beforeEach, describe, expect, it } from 'vitest';
import type { ToolDefinition, Upstream, UpstreamTool } from '../../../src/gate/upstreams/upstream.ts';
import type { CurrentStorage } from './conformance.ts';
import { aProject, at, ODD, ODD_TEXT } from './samples.ts';

function anUpstream(id: string, changes: Partial<Upstream> = {}): Upstream {
  return {
    id,
    projectId: 'prj_1',
    name: `tools-${id.slice(4)}`,
    kind: 'http',
    target: 'tools.example',
    secretNames: ['Authorization'],
    sealedSettings: 'sealed',
    riskTier: 'medium',
    timeoutSeconds: 120,
    version: 1,
    createdAt: at(0),
    updatedAt: at(0),
    server: null,
    polledAt: null,
    failingSince: null,
    error: null,
    ...changes,
  };
}

function aDefinition(version: string): ToolDefinition {
  return { content: { name: 'read', description: version, inputSchema: ODD }, hash: `sha256:${version}` };
}

function aTool(name: string, changes: Partial<UpstreamTool> = {}): UpstreamTool {
  return {
    projectId: 'prj_1',
    upstreamId: 'ups_1',
    name,
    state: 'new',
    obstacle: null,
    found: aDefinition('1'),
    pinned: null,
    riskTier: null,
    foundAt: at(1),
    changedAt: at(1),
    approvedAt: null,
    ...changes,
  };
}

const APPROVED: Partial<UpstreamTool> = {
  state: 'approved',
  pinned: aDefinition('1'),
  approvedAt: at(2),
  riskTier: 'high',
};
const SERVER = { name: ODD_TEXT, version: '1', protocol: '2025-11-25' };

export function describeUpstreams(storage: CurrentStorage): void {
  const write: ReturnType<CurrentStorage>['transaction'] = (work, options) =>
    storage().transaction(work, options);
  const insert = (...upstreams: Upstream[]) =>
    write(async (tx) => {
      for (const upstream of upstreams) await tx.insertUpstream(upstream);
    });
  const put = (...tools: UpstreamTool[]) =>
    write(async (tx) => {
      for (const tool of tools) await tx.putUpstreamTool(tool);
    });
  const find = (id = 'ups_1') => storage().read.findUpstream('prj_1', id);

  describe('upstream servers', () => {
    beforeEach(() => write((tx) => tx.insertProject(aProject({ id: 'prj_2', name: 'Second' }))));

    it('keep every field, for their project only, and are listed newest first', async () => {
      const stdio = anUpstream('ups_2', { kind: 'stdio', secretNames: [], server: SERVER, polledAt: at(1) });
      await insert(anUpstream('ups_1'), stdio, anUpstream('ups_3', { projectId: 'prj_2' }));
      expect(await find()).toEqual(anUpstream('ups_1'));
      expect(await storage().read.listUpstreams('prj_1')).toEqual([stdio, anUpstream('ups_1')]);
      expect(await find('ups_3')).toBeUndefined();
      expect(await storage().read.findUpstreamByName('prj_1', 'tools-2')).toEqual(stdio);
      expect(await storage().read.findUpstreamByName('prj_2', 'tools-2')).toBeUndefined();
    });

    it('have a unique name in their project, until they are removed', async () => {
      await insert(
        anUpstream('ups_1', { name: 'files' }),
        anUpstream('ups_2', { name: 'files', projectId: 'prj_2' }),
      );
      await expect(insert(anUpstream('ups_3', { name: 'files' }))).rejects.toThrow();
      await write((tx) => tx.deleteUpstream('ups_1', at(1)));
      await insert(anUpstream('ups_3', { name: 'files' }));
      expect((await storage().read.findUpstreamByName('prj_1', 'files'))?.id).toBe('ups_3');
    });

    it('are changed by only one of several writers that read the same version', async () => {
      await insert(anUpstream('ups_1', { failingSince: at(1), error: 'away' }));
      const changed = (target: string) =>
        anUpstream('ups_1', {
          target,
          secretNames: [],
          sealedSettings: 'other',
          version: 2,
          updatedAt: at(3),
        });
      const won = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          write((tx) => tx.updateUpstream(changed(`${index}.example`), 1), { guarded: true }),
        ),
      );
      expect(won.filter((one) => one)).toHaveLength(1);
      const target = `${won.indexOf(true)}.example`;
      expect(await find()).toEqual({ ...changed(target), failingSince: at(1), error: 'away' });
    });

    it('keep the result of the latest check, for their current connection settings', async () => {
      await insert(anUpstream('ups_1'));
      const fail = (version: number, error: string, second: number) =>
        write((tx) => tx.noteUpstreamFailure('ups_1', version, error, at(second)), { guarded: true });
      const see = (version: number, second: number) =>
        write((tx) => tx.noteUpstreamSeen('ups_1', version, SERVER, at(second)), { guarded: true });
      expect([await fail(1, 'away', 1), await fail(1, ODD_TEXT, 2)]).toEqual([true, true]);
      expect(await find()).toMatchObject({
        failingSince: at(1),
        error: ODD_TEXT,
        polledAt: null,
        server: null,
      });
      expect([await see(2, 3), await fail(2, 'old', 3)]).toEqual([false, false]);
      expect(await storage().read.measureUpstreams()).toMatchObject({ upstreams: 1, failing: 1 });
      expect(await see(1, 4)).toBe(true);
      expect(await find()).toMatchObject({
        failingSince: null,
        error: null,
        polledAt: at(4),
        server: SERVER,
      });
    });

    it('are removed once, with their tools', async () => {
      await insert(anUpstream('ups_1'), anUpstream('ups_2'));
      await put(aTool('read'), aTool('read', { upstreamId: 'ups_2' }));
      const remove = () => write((tx) => tx.deleteUpstream('ups_1', at(1)));
      expect([await remove(), await remove()]).toEqual([true, false]);
      expect(await find()).toBeUndefined();
      expect((await storage().read.listUpstreams('prj_1')).map(({ id }) => id)).toEqual(['ups_2']);
      expect(await storage().read.listUpstreamTools('ups_1')).toEqual([]);
      expect(await storage().read.listUpstreamTools('ups_2')).toHaveLength(1);
      expect(await write((tx) => tx.noteUpstreamFailure('ups_1', 1, 'away', at(2)))).toBe(false);
      expect(await write((tx) => tx.updateUpstream(anUpstream('ups_1', { version: 2 }), 1))).toBe(false);
    });
  });

  describe('tools of upstream servers', () => {
    beforeEach(() => insert(anUpstream('ups_1'), anUpstream('ups_2')));

    it('are kept as found and as approved, each under its name', async () => {
      const refused = aTool('a b', { found: null, obstacle: ODD_TEXT });
      await put(aTool('write', APPROVED), refused, aTool('read', { upstreamId: 'ups_2' }));
      expect(await storage().read.listUpstreamTools('ups_1')).toEqual([refused, aTool('write', APPROVED)]);
      const changed = aTool('write', {
        ...APPROVED,
        state: 'changed',
        found: aDefinition('2'),
        changedAt: at(5),
      });
      await put({ ...changed, foundAt: at(9) });
      expect(await storage().read.findUpstreamTool('ups_1', 'write')).toEqual(changed);
      expect(await storage().read.findUpstreamTool('ups_2', 'write')).toBeUndefined();
      await write((tx) => tx.deleteUpstreamTool('ups_1', 'write'));
      expect(await storage().read.listUpstreamTools('ups_1')).toEqual([refused]);
    });

    it('are offered only when approved, and while their server exists', async () => {
      await put(
        aTool('write', APPROVED),
        aTool('read', APPROVED),
        aTool('list'),
        aTool('drop', { ...APPROVED, state: 'changed', found: aDefinition('2') }),
        aTool('old', { ...APPROVED, state: 'gone', found: null }),
        aTool('read', { ...APPROVED, upstreamId: 'ups_2' }),
      );
      const offered = async (projectId = 'prj_1') =>
        (await storage().read.listOfferedTools(projectId)).map(
          ({ upstream, tool }) => `${upstream.name}.${tool.name} ${tool.pinned.hash}`,
        );
      expect(await offered()).toEqual([
        'tools-1.read sha256:1',
        'tools-1.write sha256:1',
        'tools-2.read sha256:1',
      ]);
      expect(await offered('prj_2')).toEqual([]);
      expect(await storage().read.measureUpstreams()).toEqual({
        upstreams: 2,
        failing: 0,
        toolsToApprove: 2,
      });
      await write((tx) => tx.deleteUpstream('ups_1', at(1)));
      expect(await offered()).toEqual(['tools-2.read sha256:1']);
    });

    it('are approved only as they were found', async () => {
      await expect(put(aTool('read', { ...APPROVED, found: aDefinition('2') }))).rejects.toThrow();
      await expect(put(aTool('read', { ...APPROVED, found: null }))).rejects.toThrow();
      await expect(put(aTool('read', { ...APPROVED, obstacle: 'odd' }))).rejects.toThrow();
      expect(await storage().read.listUpstreamTools('ups_1')).toEqual([]);
    });
  });
}
