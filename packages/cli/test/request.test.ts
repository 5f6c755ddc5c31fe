import { writeFileSync } from 'node:fs';
import { Permitry } from '@permitry/sdk';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loseAnswer, openFlawedWay } from '../../sdk/test/fixtures/open-flawed-way.ts';
import type { SignedIn } from '../../server/test/fixtures/signed-in.ts';
import { freshDirectory, spawnPermitry } from './fixtures/permitry.ts';
import { type ServedGate, serveGate } from './fixtures/served-gate.ts';

const FREE = { name: 'free', match: { action: 'free' }, effect: 'allow' };
const NEVER = { name: 'never', match: { action: 'never' }, effect: 'deny', reason: 'Not by an agent.' };
const PARAMS = '{"amount":12.5,"to":"Zoë"}';

/** Decides each request as soon as it is pending. */
async function decideNext(t: ServedGate, ann: SignedIn, decision: 'approve' | 'deny'): Promise<string> {
  const { secret_key: service } = t.first;
  const first = async () => {
    const { data } = await t.get<{ data: { id: string }[] }>(service, '/console/inbox');
    return data[0]?.id;
  };
  await expect.poll(first).toBeDefined();
  const id = String(await first());
  if (decision === 'approve') await t.approve(ann, id);
  else await t.post(service, `/v1/intents/${id}/deny`, { reason: 'No.' });
  return id;
}

function lastLine(text: string): unknown {
  return JSON.parse(text.trimEnd().split('\n').at(-1) ?? '');
}

describe('permitry request', () => {
  test('waits, and gives the decision by its exit code', async () => {
    const t = await serveGate();
    const ann = await t.addBrowser('ann@example.org', 'approver');
    const approved = t.as(t.first.agent_key, 'request', 'deploy', '--params', PARAMS, '--reason', 'release');
    await decideNext(t, ann, 'approve');
    expect(await approved).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('is approved by ann@example.org'),
      stderr: expect.stringMatching(/is pending\. Review it at http.*\/approve\/int_/),
    });
    const denied = t.as(t.first.agent_key, 'request', 'deploy', '--json');
    const id = await decideNext(t, ann, 'deny');
    const { code, stdout } = await denied;
    expect(code).toBe(3);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { id, status: 'pending', approval_url: expect.stringContaining(id) },
      { id, status: 'denied', reason: 'No.' },
    ]);
    expect(await t.as(t.first.agent_key, 'request', 'deploy', '--wait', '0s')).toMatchObject({ code: 5 });
    const expired = await t.as(t.first.agent_key, 'request', 'deploy', '--expires-in', '1s');
    expect(expired).toMatchObject({ code: 4, stdout: expect.stringContaining('is expired') });
  });

  test('does not wait if policy decides at once', async () => {
    const t = await serveGate();
    await t.putPolicy([FREE, NEVER]);
    const { agent_key: key } = t.first;
    const permit = await t.as(key, 'request', 'free', '--output', 'permit');
    expect(permit).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+\n$/) });
    const denied = await t.as(key, 'request', 'never');
    expect(denied).toMatchObject({ code: 3, stdout: expect.stringContaining('Not by an agent.') });
    const used = await t.as(key, 'request', 'free', '--consume', '--json');
    const { id, ...told } = lastLine(used.stdout) as { id: string };
    expect(told).toMatchObject({ status: 'approved', consumed: true });
    const again = await new Permitry({ baseUrl: t.url, apiKey: t.first.agent_key }).intents
      .freshPermit(id)
      .catch((error: unknown) => error);
    expect(again).toMatchObject({ code: 'permit_invalid', reason: 'already_used' });
  });

  test('repeats a use whose answer was lost', async () => {
    const t = await serveGate();
    await t.putPolicy([{ name: 'free', match: { action: 'free' }, effect: 'allow' }]);
    const way = await openFlawedWay(t.url);
    onTestFinished(() => way.close());
    way.next('POST /v1/permits/validate', loseAnswer);
    const { code, stdout } = await spawnPermitry(['request', 'free', '--consume', '--json'], {
      env: { PERMITRY_URL: way.url, PERMITRY_KEY: t.first.agent_key },
    });
    expect(code).toBe(0);
    expect(lastLine(stdout)).toMatchObject({ consumed: true });
  });

  test('sends one request for one idempotency key', async () => {
    const t = await serveGate();
    const again = ['request', 'deploy', '--wait', '0s', '--json', '--idempotency-key', 'pipeline-7'];
    const first = await t.as(t.first.agent_key, ...again);
    const second = await t.as(t.first.agent_key, ...again);
    expect(JSON.parse(second.stdout)).toMatchObject({ id: (JSON.parse(first.stdout) as { id: string }).id });
  });

  test.each([
    ['["a"]', /must be a JSON object/],
    ['{"a":1,"a":2}', /cannot be read as JSON/],
    ['{"a":9007199254740993}', /cannot be read as JSON/],
    ['{"a":100.00000000000000001}', /cannot be read as JSON.*more digits than a double holds/],
    ['{"a":1e-400}', /cannot be read as JSON/],
    ['{', /cannot be read as JSON/],
    ['@/nowhere/params.json', /Cannot use/],
  ])('refuses ambiguous parameters before it sends a request: %s', async (params, words) => {
    const t = await serveGate();
    const { code, stderr } = await t.as(t.first.agent_key, 'request', 'deploy', '--params', params);
    expect(code).toBe(2);
    expect(stderr).toMatch(words);
    expect(await t.get(t.first.secret_key, '/api/intents')).toMatchObject({ intents: [] });
  });

  test('shows the gate’s own reason for a refusal', async () => {
    const t = await serveGate();
    const bad = await t.as(t.first.agent_key, 'request', 'no spaces', '--json');
    expect(bad).toMatchObject({ code: 2, stdout: '' });
    expect(JSON.parse(bad.stderr)).toMatchObject({ error: { code: 'invalid_request' } });
    expect(await t.as(t.first.verifier_key, 'request', 'deploy')).toMatchObject({ code: 1 });
    const away = await spawnPermitry(['request', 'deploy', '--json'], {
      // A port that fetch does not block, and that only root may listen on.
      env: { PERMITRY_URL: 'http://127.0.0.1:2', PERMITRY_KEY: t.first.agent_key },
    });
    expect(away.code).toBe(1);
    expect(JSON.parse(away.stderr)).toMatchObject({
      error: { code: 'unreachable', message: expect.stringContaining('and --url or PERMITRY_URL right?') },
    });
  });
});

describe('permitry verify', () => {
  async function permitOf(t: ServedGate): Promise<string> {
    const { stdout } = await t.as(
      t.first.agent_key,
      'request',
      'free',
      '--params',
      PARAMS,
      '--output',
      'permit',
    );
    const path = freshDirectory();
    writeFileSync(path, stdout, { mode: 0o600 });
    return path;
  }

  test('online, accepts a permit once and for nothing else', async () => {
    const t = await serveGate();
    await t.putPolicy([FREE]);
    const permit = await permitOf(t);
    const verify = (...args: string[]) => t.as(t.first.verifier_key, 'verify', permit, ...args);
    const bound = ['--action', 'free', '--params', PARAMS];
    expect(await verify(...bound)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^valid: int_/) });
    const other = await verify('--action', 'free', '--params', '{"amount":13}', '--json');
    expect(other.code).toBe(1);
    expect(JSON.parse(other.stdout)).toMatchObject({ valid: false, reason: 'params_mismatch' });
    expect((await verify(...bound, '--consume')).stdout).toContain('valid, now used');
    const twice = await verify(...bound, '--consume', '--json');
    expect(JSON.parse(twice.stdout)).toMatchObject({ valid: false, reason: 'already_used' });
    expect(await verify('--params', PARAMS)).toMatchObject({ code: 2 });
  });

  test('offline, uses keys from the gate or saved ones', async () => {
    const t = await serveGate({ mode: 'test' });
    await t.putPolicy([FREE]);
    const permit = await permitOf(t);
    const jwks = freshDirectory();
    writeFileSync(jwks, await (await fetch(`${t.url}/.well-known/jwks.json`)).text());
    const offline = (...args: string[]) =>
      t.as('prm_none', 'verify', permit, '--offline', '--action', 'free', '--params', PARAMS, ...args);
    const where = ['--issuer', t.gate.issuer, '--audience', t.first.project_id, '--accept-test-permits'];
    expect((await offline(...where)).code).toBe(0);
    const saved = await offline(...where, '--jwks', jwks);
    expect(saved).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Offline verification does not see uses'),
    });
    const inTestMode = await offline(...where.slice(0, 4), '--jwks', jwks);
    expect(inTestMode.code).toBe(1);
    expect(inTestMode.stdout).toContain('test mode. Pass --accept-test-permits to accept it.');
    expect(inTestMode.stdout).not.toContain('acceptTestPermits');
    const asJson = await offline(...where.slice(0, 4), '--jwks', jwks, '--json');
    expect(JSON.parse(asJson.stdout)).toMatchObject({ valid: false, reason: 'test_permit' });
    const elsewhere = [
      '--issuer',
      t.gate.issuer,
      '--audience',
      'prj_other',
      '--accept-test-permits',
      '--json',
    ];
    expect(JSON.parse((await offline(...elsewhere)).stdout)).toMatchObject({ reason: 'wrong_project' });
    const nobody = [
      '--issuer',
      'http://127.0.0.1:2',
      '--audience',
      t.first.project_id,
      '--accept-test-permits',
    ];
    expect(await offline(...nobody)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /There is no connection to http:\/\/127\.0\.0\.1:2.* and --issuer right\?/,
      ),
    });
    for (const flags of [[], ['--issuer', t.url], [...where, '--consume']]) {
      expect((await offline(...flags)).code).toBe(2);
    }
    expect((await t.as(t.first.verifier_key, 'verify', permit, '--action', 'x', '--jwks', jwks)).code).toBe(
      2,
    );
  });
});
