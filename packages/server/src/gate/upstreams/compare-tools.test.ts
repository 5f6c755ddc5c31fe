import { describe, expect, it } from 'vitest';
import { compareTools, isNothing } from './compare-tools.ts';
import type { FoundTool } from './read-definition.ts';
import type { ToolDefinition, UpstreamTool } from './upstream.ts';

const OWNER = { projectId: 'prj_1', upstreamId: 'ups_1' };
const NOW = '2026-11-20T05:00:00.000Z';
const definition = (hash: string): ToolDefinition => ({ content: { name: 'read' }, hash });
const seen = (hash: string): FoundTool => ({ name: 'read', definition: definition(hash), obstacle: null });
const REFUSED: FoundTool = { name: 'read', definition: null, obstacle: 'too large' };

function known(state: UpstreamTool['state'], found: string | null): UpstreamTool {
  return {
    ...OWNER,
    name: 'read',
    state,
    obstacle: null,
    found: found === null ? null : definition(found),
    pinned: state === 'new' ? null : definition('pinned'),
    riskTier: 'high',
    foundAt: 'before',
    changedAt: 'before',
    approvedAt: state === 'new' ? null : 'before',
  };
}

describe('a look at the tools of a server', () => {
  it.each<[string, UpstreamTool[], FoundTool[], object | null]>([
    ['a tool that nobody knew', [], [seen('a')], { state: 'new', found: { hash: 'a' }, pinned: null }],
    ['the same, unapproved', [known('new', 'a')], [seen('a')], null],
    ['another, unapproved', [known('new', 'a')], [seen('b')], { state: 'new', found: { hash: 'b' } }],
    ['what was approved', [known('approved', 'pinned')], [seen('pinned')], null],
    [
      'another than was approved',
      [known('approved', 'pinned')],
      [seen('b')],
      { state: 'changed', found: { hash: 'b' }, pinned: { hash: 'pinned' } },
    ],
    [
      'what was approved, and cannot be kept now',
      [known('approved', 'pinned')],
      [REFUSED],
      { state: 'changed', found: null, obstacle: 'too large' },
    ],
    [
      'none of what was approved',
      [known('approved', 'pinned')],
      [],
      { state: 'gone', found: null, pinned: { hash: 'pinned' } },
    ],
    [
      'what was approved and had gone',
      [known('gone', null)],
      [seen('pinned')],
      { state: 'approved', found: { hash: 'pinned' }, riskTier: 'high' },
    ],
    ['another than had gone', [known('gone', null)], [seen('b')], { state: 'changed', found: { hash: 'b' } }],
    [
      'what had changed, as it was approved',
      [known('changed', 'b')],
      [seen('pinned')],
      { state: 'changed', found: { hash: 'pinned' } },
    ],
    [
      'what had changed, once more',
      [known('changed', 'b')],
      [seen('c')],
      { state: 'changed', found: { hash: 'c' } },
    ],
    ['what had changed, no more', [known('changed', 'b')], [], { state: 'changed', found: null }],
    ['what had gone, still not', [known('gone', null)], [], null],
  ])('finds %s', (_, before, found, put) => {
    const changes = compareTools(OWNER, before, found, NOW);
    expect(changes.put).toMatchObject(put === null ? [] : [{ ...put, changedAt: NOW }]);
    expect(isNothing(changes)).toBe(put === null);
  });

  it('forgets what nobody approved and is not there', () => {
    const changes = compareTools(OWNER, [known('new', 'a')], [], NOW);
    expect(changes).toMatchObject({ put: [], forgotten: ['read'] });
    expect(isNothing(changes)).toBe(false);
  });

  it('names what is to be told of', () => {
    const names = (before: UpstreamTool[], found: FoundTool[]) => {
      const { found: unknown, changed, gone, returned } = compareTools(OWNER, before, found, NOW);
      return [unknown, changed, gone, returned].map((list) => list.length).join('');
    };
    expect(names([], [seen('a')])).toBe('1000');
    expect(names([known('approved', 'pinned')], [seen('b')])).toBe('0100');
    expect(names([known('approved', 'pinned')], [])).toBe('0010');
    expect(names([known('gone', null)], [seen('pinned')])).toBe('0001');
    // Whoever goes on changing what is not offered fills no log.
    expect(names([known('changed', 'b')], [seen('c')])).toBe('0000');
    expect(names([known('new', 'a')], [seen('b')])).toBe('0000');
  });

  it('never offers what was not offered before', () => {
    const hashes = ['pinned', 'b', null];
    for (const state of ['new', 'changed'] as const) {
      for (const found of hashes) {
        for (const now of [
          [],
          [REFUSED],
          ...hashes.flatMap((hash) => (hash === null ? [] : [[seen(hash)]])),
        ]) {
          const { put } = compareTools(OWNER, [known(state, found)], now, NOW);
          expect(put.filter((tool) => tool.state === 'approved')).toEqual([]);
        }
      }
    }
  });
});
