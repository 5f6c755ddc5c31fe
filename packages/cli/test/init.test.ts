import { statSync } from 'node:fs';
import { join } from 'node:path';
import { parseApiKey } from '@permitry/protocol';
import { describe, expect, test } from 'vitest';
import { freshDirectory, initialise, permitry, permitryJson, spawnPermitry } from './fixtures/permitry.ts';

describe('permitry init', () => {
  test('prints exactly the first credentials with --json', async () => {
    const data = freshDirectory();
    const { code, stdout, stderr } = await spawnPermitry([
      ...['init', '--data', data, '--mode', 'live', '--project', 'Refunds'],
      ...['--owner', 'ann@example.org', '--json'],
    ]);

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const credentials = JSON.parse(stdout) as Record<string, string>;
    expect(Object.keys(credentials)).toEqual([
      'project_id',
      'mode',
      'owner_email',
      'agent_id',
      'secret_key',
      'agent_key',
      'verifier_key',
    ]);
    expect(credentials).toMatchObject({
      project_id: expect.stringMatching(/^prj_/),
      mode: 'live',
      owner_email: 'ann@example.org',
      agent_id: expect.stringMatching(/^agt_/),
    });
    expect(parseApiKey(credentials.secret_key ?? '')).toEqual({ kind: 'secret', mode: 'live' });
    expect(parseApiKey(credentials.agent_key ?? '')).toEqual({ kind: 'agent', mode: 'live' });
    expect(parseApiKey(credentials.verifier_key ?? '')).toEqual({ kind: 'verify', mode: 'live' });
  });

  test('makes every file private to its user', async () => {
    const data = freshDirectory();
    await spawnPermitry(['init', '--data', data, '--mode', 'test']);

    expect(statSync(data).mode & 0o777).toBe(0o700);
    expect(statSync(join(data, 'permitry.sqlite')).mode & 0o777).toBe(0o600);
  });

  test('shows people their keys and what to do next', async () => {
    const data = freshDirectory();
    const { stdout } = await permitry(['init', '--data', data, '--mode', 'test']);

    expect(stdout).toMatch(/agent key +prm_agent_test_/);
    expect(stdout).toContain('owner owner@localhost');
    expect(stdout).toContain(`permitry serve --data ${data}`);
    expect(
      Math.max(
        ...stdout
          .split('\n')
          .filter((line) => !line.includes(data))
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(80);
  });

  test('refuses an initialised directory and changes nothing', async () => {
    const data = freshDirectory();
    await initialise(data);
    const before = await permitryJson<unknown[]>('keys', 'list', '--data', data);

    const again = await permitry(['init', '--data', data, '--mode', 'test', '--json']);

    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(JSON.parse(again.stderr)).toEqual({
      error: { code: 'conflict', message: expect.stringContaining('is already initialised') },
    });
    expect(await permitryJson('keys', 'list', '--data', data)).toEqual(before);
  });

  test('creates one project when it runs twice at once', async () => {
    const data = freshDirectory();
    const args = ['init', '--data', data, '--mode', 'test', '--json'];

    const both = await Promise.all([spawnPermitry(args), spawnPermitry(args)]);

    expect(both.map(({ code }) => code).sort()).toEqual([0, 1]);
    expect(await permitryJson('project', 'list', '--data', data)).toHaveLength(1);
  });

  test.each([
    ['a missing mode', []],
    ['an unknown mode', ['--mode', 'tets']],
    ['an owner that is not an email address', ['--mode', 'test', '--owner', 'ann']],
    ['a project without a name', ['--mode', 'test', '--project', ' ']],
    ['an unknown flag', ['--mode', 'test', '--ower', 'a@b.c']],
  ])('reports %s as a usage error', async (_, flags) => {
    const data = freshDirectory();
    const { code, stdout, stderr } = await permitry(['init', '--data', data, ...flags]);

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).not.toContain('    at ');
  });
});
