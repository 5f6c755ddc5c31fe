import { ROLES, type Role } from '@permitry/protocol';
import { expect, test } from 'vitest';
import type { Caller } from './caller.ts';
import { findWhatIsLacking, holdsScope, roleReaches, type Scope } from './scopes.ts';

const unknown = 'steward' as Role;

test('each role includes those below it', () => {
  for (const [rank, role] of ROLES.entries())
    expect(ROLES.filter((least) => roleReaches(role, least))).toEqual(ROLES.slice(0, rank + 1));
});

test('an unknown role includes no role, and no role includes it', () => {
  for (const role of ROLES) {
    expect(roleReaches(unknown, role)).toBe(false);
    expect(roleReaches(role, unknown)).toBe(false);
  }
  expect(roleReaches(unknown, unknown)).toBe(false);
});

test('nobody holds a scope that no list names', () => {
  const unheard = 'intents:forge' as Scope;
  const caller: Caller = {
    kind: 'session',
    credentialId: 'ses_1',
    user: { id: 'usr_1', email: 'ann@example.org' },
    memberships: [{ projectId: 'prj_1', mode: 'test', role: 'owner' }],
    signedInAt: '2026-01-01T00:00:00.000Z',
    confirmedAt: '2026-01-01T00:00:00.000Z',
    methods: ['password'],
  };
  expect(holdsScope(caller, 'texts:erase')).toBe(true);
  expect(holdsScope(caller, unheard)).toBe(false);
  const service: Caller = {
    kind: 'secret',
    credentialId: 'key_1',
    projectId: 'prj_1',
    mode: 'test',
    revision: 1,
    keyName: 'ci',
    owner: { id: 'usr_1', email: 'ann@example.org', role: 'owner' },
  };
  expect(holdsScope(service, 'texts:erase')).toBe(true);
  expect(holdsScope(service, unheard)).toBe(false);
});

test('a caller with the wrong credential learns which one is needed, unless their role is too low', () => {
  const service = (mode: 'live' | 'test', role: Role): Caller => ({
    kind: 'secret',
    credentialId: 'key_1',
    projectId: 'prj_1',
    mode,
    revision: 1,
    keyName: 'ci',
    owner: { id: 'usr_1', email: 'ann@example.org', role },
  });
  expect(findWhatIsLacking(service('live', 'admin'), 'keys:write')).toBe('person');
  expect(findWhatIsLacking(service('live', 'approver'), 'keys:write')).toBeNull();

  const token = (role: Role, rights: readonly ('decide' | 'manage')[]): Caller => ({
    kind: 'user',
    credentialId: 'key_1',
    user: { id: 'usr_1', email: 'ann@example.org' },
    rights,
    memberships: [{ projectId: 'prj_1', mode: 'live', role }],
  });
  expect(findWhatIsLacking(token('admin', ['manage']), 'keys:write')).toBe('person');
  expect(findWhatIsLacking(token('approver', ['manage']), 'keys:write')).toBeNull();
  expect(findWhatIsLacking(token('admin', ['decide']), 'agents:stop')).toBe('manage');
  expect(findWhatIsLacking(token('admin', []), 'intents:decide')).toBe('decide');
  expect(findWhatIsLacking(token('viewer', []), 'intents:decide')).toBeNull();
  expect(findWhatIsLacking(token('admin', ['manage']), 'intents:create')).toBeNull();
});
