import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { findFreePort } from '../../server/test/fixtures/free-port.ts';
import {
  call,
  freshDirectory,
  initialise,
  permitry,
  permitryJson,
  REFUND,
  serve,
  spawnPermitry,
} from './fixtures/permitry.ts';

interface Key {
  kid: string;
  state: string;
  signs: boolean;
  kept_in: string | null;
}

async function gate() {
  const data = freshDirectory();
  const credentials = await initialise(data);
  const at = ['--data', data];
  return {
    data,
    credentials,
    run: (...args: string[]) => permitry(['signing-keys', ...args, ...at]),
    json: <T = unknown>(...args: string[]) => permitryJson<T>('signing-keys', ...args, ...at),
    active: async () => {
      const keys = await permitryJson<Key[]>('signing-keys', 'list', ...at);
      return keys.find(({ signs }) => signs)?.kid ?? '';
    },
  };
}

async function approve(url: string, { agent_key, secret_key }: { agent_key: string; secret_key: string }) {
  const { body } = await call(`${url}/v1/intents`, agent_key, REFUND);
  const answer = await call(`${url}/v1/intents/${body.id}/approve`, secret_key, {});
  return { id: body.id as string, token: answer.body.permit.token as string };
}

async function publishedKids(url: string): Promise<string[]> {
  const answer = await fetch(`${url}/.well-known/jwks.json`);
  return ((await answer.json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(20);
}

describe('permitry signing-keys', () => {
  test('lists the keys, their states and where they are kept', async () => {
    const { run, json } = await gate();
    const keys = await json<Key[]>('list');
    expect(keys.map(({ state, signs, kept_in }) => ({ state, signs, kept_in }))).toEqual([
      { state: 'active', signs: true, kept_in: 'file' },
      { state: 'next', signs: false, kept_in: 'file' },
    ]);
    const { stdout } = await run('list');
    expect(stdout).toContain('signs and verifies');
    expect(stdout).toContain('verifies, signs next');
  });

  test('does not rotate to a key that verifiers may not know, unless --now is passed', async () => {
    const { run, json, active } = await gate();
    const before = await active();
    const refused = await run('rotate');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('--wait');
    expect(await active()).toBe(before);

    const rotated = await json<{ kid: string; previous_kid: string }>('rotate', '--now');
    expect(rotated.previous_kid).toBe(before);
    expect(await active()).toBe(rotated.kid);
    expect(await run('rotate', '--now', '--wait')).toMatchObject({ code: 2 });
  });

  test('lets several processes change the keys at once, one after another', async () => {
    const { data, json, active } = await gate();
    const stolen = await active();
    const commands = [['compromise', stolen], ...['1', '2', '3'].map(() => ['rotate', '--now'])];
    const ended = await Promise.all(
      commands.map((command) => spawnPermitry(['signing-keys', ...command, '--data', data])),
    );
    expect(ended.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
      commands.map(() => ({ code: 0, stderr: expect.any(String) })),
    );
    const keys = await json<Key[]>('list');
    const inState = (wanted: string) => keys.filter(({ state }) => state === wanted);
    expect(inState('compromised').map(({ kid }) => kid)).toEqual([stolen]);
    expect(inState('active')).toHaveLength(1);
    expect(inState('next').length).toBeGreaterThan(0);
    expect(inState('retired').length).toBeGreaterThanOrEqual(2);
  });

  test('marks a key of a running server as compromised, and counts what it signed', async () => {
    const { data, credentials, json, run, active } = await gate();
    const { url } = await serve(data);
    const stolen = await active();
    const used = await approve(url, credentials);
    const validate = (token: string, consume: boolean) =>
      call(`${url}/v1/permits/validate`, credentials.verifier_key, { token, ...REFUND, consume });
    expect((await validate(used.token, true)).status).toBe(200);
    const unused = await approve(url, credentials);
    expect((await validate(unused.token, false)).status).toBe(200);

    const answer = await json<{ kid: string; compromised: string[]; projects: object[] }>(
      'compromise',
      stolen,
    );
    expect(answer).toMatchObject({
      compromised: [stolen],
      projects: [{ project_id: credentials.project_id, receipts: 2, unused_permits: 1 }],
    });
    await until(async () => !(await publishedKids(url)).includes(stolen));
    expect(await validate(unused.token, true)).toMatchObject({
      status: 400,
      body: { error: { reason: 'unknown_key' } },
    });
    expect((await validate((await approve(url, credentials)).token, true)).status).toBe(200);

    const named = await json<{ count: number; data: Record<string, unknown>[] }>('signed-by');
    expect(named.count).toBe(2);
    expect(named.data).toMatchObject([
      {
        intent_id: unused.id,
        receipt: { revocation_status: 'revoked' },
        unused_permit: { id: expect.stringMatching(/^pmt_/) },
      },
      { intent_id: used.id, receipt: { revocation_status: 'revoked' }, unused_permit: null },
    ]);
    expect(JSON.stringify(named)).not.toContain(unused.token);
    const page = await json<{ data: object[]; next_cursor: string }>('signed-by', stolen, '--limit', '1');
    expect(page.data).toHaveLength(1);
    expect(await json('signed-by', stolen, '--limit', '1', '--cursor', page.next_cursor)).toMatchObject({
      data: [{ intent_id: used.id }],
    });
    expect((await run('signed-by', '--unused')).stdout).not.toContain(used.id);
    expect((await run('signed-by', '--limit', '0')).code).toBe(2);

    const audit = await call(
      `${url}/v1/projects/${credentials.project_id}/audit?type=signing_key.compromised`,
      credentials.secret_key,
    );
    expect(audit.body.data).toMatchObject([{ actor: { type: 'operator' }, data: { kid: stolen } }]);
  });

  test('marks all keys that can sign as compromised, and refuses an unknown or missing key', async () => {
    const { run, json } = await gate();
    const before = (await json<Key[]>('list')).map(({ kid }) => kid);
    expect(await run('compromise')).toMatchObject({ code: 2 });
    expect(await run('compromise', before[0] ?? '', '--all')).toMatchObject({ code: 2 });
    const unknown = await run('compromise', 'nobody');
    expect(unknown).toMatchObject({ code: 1, stdout: '' });
    expect(unknown.stderr).toContain('signing-keys list');

    const { stdout } = await run('compromise', '--all');
    for (const kid of before) expect(stdout).toContain(`${kid} is compromised`);
    const states = Object.groupBy(await json<Key[]>('list'), ({ state }) => state);
    expect(states.compromised?.map(({ kid }) => kid)).toEqual(before);
    expect(states.active).toHaveLength(1);
  });

  test('encrypts the private keys; then no command opens the gate without the key-encryption key', async () => {
    const { data, run, active } = await gate();
    expect(await run('encrypt')).toMatchObject({ code: 2 });
    expect((await run('signed-by')).stderr).toBe(
      'No approvals in this project were signed with a compromised key.\n',
    );
    const kid = await active();
    const env = { PERMITRY_KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64') };
    const at = ['--data', data];
    const encrypted = await spawnPermitry(['signing-keys', 'encrypt', ...at], { env });
    expect(encrypted.stdout).toContain(kid);
    expect(encrypted.stderr).toContain('running server needs the key-encryption key as well');
    for (const name of readdirSync(join(data, 'keys'))) {
      expect(readFileSync(join(data, 'keys', name), 'utf8')).not.toContain('"d"');
    }
    const refused = await run('list');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('PERMITRY_KEY_ENCRYPTION_KEY');
    const listed = await spawnPermitry(['signing-keys', 'list', ...at], { env });
    expect(listed.stdout).toContain('encrypted file');

    const other = { PERMITRY_KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64') };
    const strange = await spawnPermitry(['signing-keys', 'list', ...at], { env: other });
    expect(strange.code).toBe(1);
    const both = { ...other, PERMITRY_KEY_ENCRYPTION_KEY_PREVIOUS: env.PERMITRY_KEY_ENCRYPTION_KEY };
    await spawnPermitry(['signing-keys', 'encrypt', ...at], { env: both });
    const after = await spawnPermitry(['signing-keys', 'list', ...at], { env: other });
    expect(after).toMatchObject({ code: 0 });
    expect(after.stdout).toContain(kid);
  });

  test('adopts no key without a PKCS#11 token', async () => {
    const { run } = await gate();
    expect(await run('adopt')).toMatchObject({ code: 2 });
    const refused = await run('adopt', '--label', 'x');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('PERMITRY_PKCS11_MODULE');
  });
});

describe('permitry serve, about signing keys', () => {
  test('reports failures to sign and the age of the active key', async () => {
    const data = freshDirectory();
    await initialise(data);
    const port = await findFreePort();
    await serve(data, '--metrics-port', String(port));
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(text).toMatch(/^permitry_signing_failures_total 0$/m);
    expect(text).toMatch(/^permitry_signing_active_key_since_timestamp_seconds [\d.e+]+$/m);
  });
});
