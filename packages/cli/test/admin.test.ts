import { existsSync } from 'node:fs';
import { parseApiKey } from '@permitry/protocol';
import { describe, expect, test } from 'vitest';
import { freshDirectory, initialise, permitry, permitryJson } from './fixtures/permitry.ts';

interface Key {
  id: string;
  kind: string;
  key: string;
  rights: string[];
  expires_at: string | null;
  revoked_at: string | null;
}

async function gate() {
  const data = freshDirectory();
  const credentials = await initialise(data);
  const at = ['--data', data];
  return {
    data,
    credentials,
    run: (...args: string[]) => permitry([...args, ...at]),
    json: <T = unknown>(...args: string[]) => permitryJson<T>(...args, ...at),
  };
}

describe('permitry keys', () => {
  test('creates, shows and revokes keys of each kind', async () => {
    const { json } = await gate();
    const kinds = {
      agent: ['--agent', 'first-agent'],
      secret: [],
      verify: [],
      user: ['--owner', 'owner@localhost', '--allow-decide'],
    };
    for (const [kind, flags] of Object.entries(kinds)) {
      const made = await json<Key>('keys', 'create', '--kind', kind, ...flags);
      expect(parseApiKey(made.key)).toEqual({ kind, mode: kind === 'user' ? null : 'test' });
      expect(JSON.stringify(await json('keys', 'list'))).not.toContain(made.key);

      const ended = await json<Key>('keys', 'revoke', made.id);
      expect(ended).toMatchObject({ id: made.id, revoked_at: expect.any(String) });
    }
  });

  test('lists keys with their last characters and expiry', async () => {
    const { run, json } = await gate();
    const made = await json<Key>(
      'keys',
      'create',
      '--kind',
      'verify',
      '--name',
      'till',
      '--expires-in',
      '7d',
    );
    const { stdout } = await run('keys', 'list');
    expect(stdout).toMatch(/^ID +KIND +NAME +KEY +STATE +EXPIRES +LAST USED/);
    const [row = ''] = stdout.split('\n').filter((line) => line.startsWith(made.id));
    const { hint, expires_at } = (
      await json<{ id: string; hint: string; expires_at: string }[]>('keys', 'list')
    ).find(({ id }) => id === made.id) ?? { hint: '', expires_at: '' };
    expect(made.key.endsWith(hint)).toBe(true);
    expect(row).toContain(`…${hint}`);
    expect(row).toContain(expires_at.slice(0, 16).replace('T', ' '));
    expect(stdout).toMatch(/ agent .* never /);
  });

  test('lists the access tokens of a person', async () => {
    const { run, json } = await gate();
    const owner = ['--owner', 'owner@localhost'];
    expect((await run('keys', 'list', ...owner)).stderr).toContain('has no access tokens');
    const { id } = await json<Key>('keys', 'create', '--kind', 'user', ...owner);
    expect(await json('keys', 'list', ...owner)).toMatchObject([{ id, kind: 'user', revoked_at: null }]);
    await json('keys', 'revoke', id);
    expect((await run('keys', 'list', ...owner)).stdout).toMatch(/user +token .* +revoked/);
    expect(await run('keys', 'list', '--owner', 'eve@example.org')).toMatchObject({ code: 1 });
    expect(await run('keys', 'list', ...owner, '--project', 'First project')).toMatchObject({ code: 2 });
  });

  test('limits a token that may decide to twelve hours', async () => {
    const { run, json } = await gate();
    const args = ['keys', 'create', '--kind', 'user', '--owner', 'owner@localhost', '--allow-decide'];
    expect(await run(...args, '--expires-in', '13h')).toMatchObject({ code: 2, stdout: '' });
    const made = await json<Key>(...args, '--allow-manage', '--expires-in', '30m');
    expect(made.rights).toEqual(['decide', 'manage']);
    expect(Date.parse(made.expires_at ?? '')).toBeLessThan(Date.now() + 31 * 60_000);
  });

  test('prints only the key on stdout, for scripts', async () => {
    const { run } = await gate();
    const { stdout, stderr } = await run('keys', 'create', '--kind', 'verify', '--name', 'executor');
    expect(parseApiKey(stdout.trimEnd())).toEqual({ kind: 'verify', mode: 'test' });
    expect(stderr).toContain('executor');
  });

  test('refuses flags that do not apply, and creates no key', async () => {
    const { run, json } = await gate();
    const before = await json('keys', 'list');
    for (const flags of [
      ['--kind', 'agent'],
      ['--kind', 'user'],
      ['--kind', 'boss'],
      ['--kind', 'verify', '--owner', 'owner@localhost'],
      ['--kind', 'secret', '--allow-decide'],
      ['--kind', 'secret', '--owner', 'stranger@example.org'],
      ['--kind', 'secret', '--expires-in', 'soon'],
      ['--kind', 'secret', '--per-minute', '0'],
    ]) {
      expect(await run('keys', 'create', ...flags), flags.join(' ')).toMatchObject({ code: 2, stdout: '' });
    }
    expect(await json('keys', 'list')).toEqual(before);
  });

  test('refuses to revoke an unknown key', async () => {
    const { run } = await gate();
    // Somebody pasted a key where its ID belongs.
    const pasted = await run('keys', 'revoke', `prm_secret_live_${'0'.repeat(49)}`);
    expect([pasted.code, pasted.stderr]).toEqual([1, expect.stringContaining('There is no key')]);
    const { code, stderr } = await run('keys', 'revoke', 'key_00000000000000000000000000');
    expect(code).toBe(1);
    expect(stderr).toContain('There is no key');
  });
});

describe('permitry project', () => {
  test('requires an ID or name if there is more than one project', async () => {
    const { run, json, credentials } = await gate();
    const added = await json<{ id: string; mode: string }>(
      ...['project', 'add', 'Refunds', '--mode', 'live', '--owner', 'ann@example.org'],
    );
    expect(added.mode).toBe('live');

    const unnamed = await run('keys', 'list');
    expect(unnamed.code).toBe(2);
    expect(unnamed.stderr).toContain('"Refunds"');
    expect(await json('keys', 'list', '--project', 'refunds')).toEqual([]);
    expect(await json('keys', 'list', '--project', added.id)).toEqual([]);
    expect(await json('keys', 'list', '--project', credentials.project_id)).toHaveLength(3);
    expect(await run('project', 'add', 'refunds', '--mode', 'test', '--owner', 'a@b.cd')).toMatchObject({
      code: 1,
    });
  });

  test('refuses a mistyped directory and does not create it', async () => {
    const data = freshDirectory();
    const { code, stderr } = await permitry(['keys', 'list', '--data', data]);
    expect(code).toBe(2);
    expect(stderr).toContain('There is no gate in');
    expect(existsSync(data)).toBe(false);
  });
});

describe('permitry member, group and agent', () => {
  test('manage members, their roles and groups', async () => {
    const { run, json } = await gate();
    await json('member', 'add', 'bob@example.org', '--role', 'viewer');
    expect(await json('member', 'role', 'Bob@example.org', 'approver')).toMatchObject({ role: 'approver' });
    expect(await json('group', 'set', 'finance', 'bob@example.org', 'owner@localhost')).toMatchObject({
      name: 'finance',
      members: [{ email: expect.any(String) }, { email: expect.any(String) }],
    });
    const stranger = await run('group', 'set', 'finance', 'bob@example.org', 'eve@example.org');
    expect(stranger).toMatchObject({ code: 2 });
    expect(stranger.stderr).toContain('permitry: eve@example.org: No member of this project');
    expect((await run('group', 'list')).stdout).toContain('bob@example.org');
    // A script that joins two lists may name somebody twice.
    const twice = await json<{ members: object[] }>(
      'group',
      'set',
      'twice',
      'bob@example.org',
      'bob@example.org',
    );
    expect(twice.members).toHaveLength(1);
    await json('group', 'remove', 'twice');
    const nobody = await run('group', 'set', 'nobody', 'bob@example.org', '');
    expect(nobody).toMatchObject({ code: 2, stderr: 'permitry: "" must not be empty.\n' });

    await json('member', 'remove', 'bob@example.org');
    expect(await json('group', 'list')).toMatchObject([{ members: [{ email: 'owner@localhost' }] }]);
    await json('group', 'remove', 'finance');
    expect(await json('group', 'list')).toEqual([]);
    expect(await run('member', 'remove', 'owner@localhost')).toMatchObject({ code: 1 });
    expect(await run('member', 'remove', 'eve@example.org')).toMatchObject({ code: 1 });
  });

  test('set the owner of an agent; without one, every project owner answers for it', async () => {
    const { run, json } = await gate();
    const bob = await json('member', 'add', 'bob@example.org', '--role', 'admin');
    const named = await json('agent', 'add', 'refund-bot', '--owner', 'bob@example.org');
    expect(named).toMatchObject({ owner_id: (bob as { id: string }).id });
    expect(await json('agent', 'add', 'other-bot')).toMatchObject({ owner_id: null });
    const list = (await run('agent', 'list')).stdout;
    expect(list).toMatch(/refund-bot .*bob@example\.org/);
    expect(list).toMatch(/other-bot .*every owner/);
    expect((await run('agent', 'owner', 'other-bot', 'bob@example.org')).stdout).toContain(
      'bob@example.org now answers for agent',
    );
    const stranger = await run('agent', 'owner', 'other-bot', 'eve@example.org');
    expect(stranger.code).toBe(1);
    await json('member', 'remove', 'bob@example.org');
    expect((await run('agent', 'list')).stdout).toMatch(/refund-bot .*\(left\)/);
    await json('agent', 'owner', 'refund-bot', 'owner@localhost');
    expect((await run('agent', 'list')).stdout).toMatch(/refund-bot .*owner@localhost/);
  });

  test('cannot resume a revoked agent', async () => {
    const { run, json } = await gate();
    await json('agent', 'add', 'refund-bot', '--risk-tier', 'high');
    expect(await json('agent', 'revoke', 'refund-bot')).toMatchObject({
      status: 'revoked',
      risk_tier: 'high',
    });
    expect(await run('agent', 'resume', 'refund-bot')).toMatchObject({ code: 1 });
    expect(await run('agent', 'pause', 'nobody')).toMatchObject({ code: 1 });
    expect((await run('agent', 'list')).stdout).toMatch(/refund-bot +revoked +high/);
  });
});

describe('permitry member, for gates that send no email', () => {
  test('invite-link prints the link on stdout and its purpose on stderr', async () => {
    const { run, json } = await gate();
    const { code, stdout, stderr } = await run(
      'member',
      'invite-link',
      'bob@example.org',
      '--role',
      'approver',
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^http:\/\/localhost:8787\/invitation#[A-Za-z0-9_-]{43}\n$/);
    expect(stderr).toContain('bob@example.org joins with the role approver');
    expect(await run('member', 'invite-link', 'bob@example.org', '--role', 'viewer')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('already invited'),
    });
    expect(await json('member', 'list')).toHaveLength(1);
  });

  test('reset-link works only for members', async () => {
    const { run, json } = await gate();
    const made = await json<{ link: string; email: string }>('member', 'reset-link', 'owner@localhost');
    expect(made).toMatchObject({
      email: 'owner@localhost',
      link: expect.stringContaining('/reset-password#'),
    });
    const dropping = await run('member', 'reset-link', 'owner@localhost', '--drop-second-factor');
    expect(dropping).toMatchObject({ code: 0, stdout: expect.stringContaining('/reset-password#') });
    expect(await run('member', 'reset-link', 'eve@example.org')).toMatchObject({ code: 1, stdout: '' });
  });
});
