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

describe("a check of a server's tools", () => {
  it.each<[string, UpstreamTool[], FoundTool[], object | null]>([
    ['a new tool', [], [seen('a')], { state: 'new', found: { hash: 'a' }, pinned: null }],
    ['the same unapproved tool', [known('new', 'a')], [seen('a')], null],
    ['a changed unapproved tool', [known('new', 'a')], [seen('b')], { state: 'new', found: { hash: 'b' } }],
    ['an unchanged approved tool', [known('approved', 'pinned')], [seen('pinned')], null],
    [
      'a changed approved tool',
      [known('approved', 'pinned')],
      [seen('b')],
      { state: 'changed', found: { hash: 'b' }, pinned: { hash: 'pinned' } },
    ],
    [
      'an approved tool that can no longer be stored',
      [known('approved', 'pinned')],
      [REFUSED],
      { state: 'changed', found: null, obstacle: 'too large' },
    ],
    [
      'an approved tool missing',
      [known('approved', 'pinned')],
      [],
      { state: 'gone', found: null, pinned: { hash: 'pinned' } },
    ],
    [
      'a missing tool back as approved',
      [known('gone', null)],
      [seen('pinned')],
      { state: 'approved', found: { hash: 'pinned' }, riskTier: 'high' },
    ],
    [
      'a missing tool back but changed',
      [known('gone', null)],
      [seen('b')],
      { state: 'changed', found: { hash: 'b' } },
    ],
    [
      'a changed tool back as approved',
      [known('changed', 'b')],
      [seen('pinned')],
      { state: 'changed', found: { hash: 'pinned' } },
    ],
    [
      'a changed tool changed again',
      [known('changed', 'b')],
      [seen('c')],
      { state: 'changed', found: { hash: 'c' } },
    ],
    ['a changed tool missing', [known('changed', 'b')], [], { state: 'changed', found: null }],
    ['a missing tool still missing', [known('gone', null)], [], null],
  ])('finds %s', (_, before, found, put) => {
    const changes = compareTools(OWNER, before, found, NOW);
    expect(changes.put).toMatchObject(put === null ? [] : [{ ...put, changedAt: NOW }]);
    expect(isNothing(changes)).toBe(put === null);
  });

  it('forgets unapproved tools that are no longer there', () => {
    const changes = compareTools(OWNER, [known('new', 'a')], [], NOW);
    expect(changes).toMatchObject({ put: [], forgotten: ['read'] });
    expect(isNothing(changes)).toBe(false);
  });

  it('names the tools that an event announces', () => {
    const names = (before: UpstreamTool[], found: FoundTool[]) => {
      const { found: unknown, changed, gone, returned } = compareTools(OWNER, before, found, NOW);
      return [unknown, changed, gone, returned].map((list) => list.length).join('');
    };
    expect(names([], [seen('a')])).toBe('1000');
    expect(names([known('approved', 'pinned')], [seen('b')])).toBe('0100');
    expect(names([known('approved', 'pinned')], [])).toBe('0010');
    expect(names([known('gone', null)], [seen('pinned')])).toBe('0001');
    // A server that keeps changing tools that are not offered must not fill the log.
    expect(names([known('changed', 'b')], [seen('c')])).toBe('0000');
    expect(names([known('new', 'a')], [seen('b')])).toBe('0000');
  });

  it('never offers a tool that was not offered before', () => {
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
