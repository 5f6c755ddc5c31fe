import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { BIN, cleanEnvironment, permitry } from './fixtures/permitry.ts';
import { serveGate } from './fixtures/served-gate.ts';

const HOSTILE = '\u001b[2J\u001b]0;owned\u0007 gnp\u202ejpg pay\u200bpal \u009b31m';
/** Characters that control a terminal or are invisible, except line ends. */
const UNSEEN = /[^\P{C}\n]|[\u200b\u202e\u2028]/u;

describe('permitry inbox', () => {
  test('lists pending requests as inert text, and shows who may decide them', async () => {
    const t = await serveGate();
    const ann = await t.addPerson('ann@example.org', 'approver');
    expect((await t.as(ann, 'inbox')).stderr).toContain('No pending requests');
    const id = await t.ask('payments.refund', {
      params: { note: HOSTILE, amount: 120 },
      risk_tier: 'high',
      expires_in: 600,
    });
    const { code, stdout } = await t.as(ann, 'inbox');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ID +ACTION +PARAMETERS +REQUESTER +RISK +APPROVALS +EXPIRES +YOU\n/);
    expect(stdout).toMatch(new RegExp(`${id} +payments.refund .* high +0/1 +9m +may decide\\n`));
    expect(stdout).not.toMatch(UNSEEN);
    expect(stdout).toContain('\\u{202e}');

    const page = await t.json<{ data: object[] }>(ann, 'inbox', '--mine', '--risk', 'high');
    expect(page).toMatchObject({ data: [{ id, can_decide: true }], pending_total: 1 });
    expect(await t.json(ann, 'inbox', '--search', 'nothing like it')).toMatchObject({ data: [] });
    const soon = await t.ask('deploy', { params: { order: 'A-4711' }, expires_in: 60 });
    const found = await t.json<{ data: { id: string }[] }>(ann, 'inbox', '--search', 'a-4711');
    expect(found.data.map((item) => item.id)).toEqual([soon]);
    const idsBy = async (order: string) =>
      (await t.json<{ data: { id: string }[] }>(ann, 'inbox', '--sort', order)).data.map((item) => item.id);
    expect([await idsBy('expiring'), await idsBy('risk')]).toEqual([
      [soon, id],
      [id, soon],
    ]);
    expect(await t.as(ann, 'inbox', '--sort', 'oldest')).toMatchObject({ code: 2 });
    expect(await t.as(ann, 'inbox', '--project', 'Another')).toMatchObject({ code: 2 });
    expect(await t.as(t.first.agent_key, 'inbox')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/PERMITRY_KEY holds an agent's key.*permitry login/),
    });
    expect(await t.as(t.first.agent_key, 'approve', id, '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('never decides'),
    });
    expect(await t.as(t.first.verifier_key, 'request', 'deploy')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("PERMITRY_KEY holds an executor's key"),
    });
  });

  test('follows changes with --watch', async () => {
    const t = await serveGate({ mode: 'test' });
    const ann = await t.addPerson('ann@example.org', 'approver');
    const lines = follow(['inbox', '--watch', '--json'], t.url, ann);
    const before = await t.ask('deploy.staging');
    expect(await lines.next()).toMatchObject({ change: 'added', id: before, action: 'deploy.staging' });
    const after = await t.ask('deploy.production');
    expect(await lines.next()).toMatchObject({ change: 'added', id: after });
    await t.post(ann, `/v1/intents/${before}/approve`, {});
    expect(await lines.next()).toEqual({ change: 'gone', id: before });
  });
});

describe('permitry show', () => {
  test('shows the whole request, and nothing that can control a terminal', async () => {
    const t = await serveGate();
    const ann = await t.addPerson('ann@example.org', 'approver');
    const long = 'x'.repeat(20_000);
    const id = await t.ask('mail.send', {
      params: { to: 'pаypal.example', [`k${HOSTILE}`]: [HOSTILE, { deep: long }], nothing: null },
      metadata: { reason: `please\n${HOSTILE}` },
    });
    const { code, stdout } = await t.as(ann, 'show', id);
    expect(code).toBe(0);
    expect(stdout).not.toMatch(UNSEEN);
    expect(stdout).toContain(long);
    expect(stdout).toContain('"please\\n');
    for (const words of [id, 'mail.send', 'first-agent', 'First project', 'sha256:', '"nothing": null']) {
      expect(stdout).toContain(words);
    }
    expect(stdout).toContain('Beware: "pаypal": mixes Latin and Cyrillic letters; reads like “paypal”');
    const json = await t.as(ann, 'show', id, '--json');
    expect(json.stdout).not.toMatch(UNSEEN);
    expect(JSON.parse(json.stdout)).toMatchObject({
      id,
      can_approve: true,
      hashed: { metadata: { reason: `please\n${HOSTILE}` } },
    });
    expect(await t.as(ann, 'show', 'int_nothing')).toMatchObject({ code: 1, stdout: '' });
  });
});

describe('permitry approve and deny', () => {
  beforeEach(() => {
    process.env.PERMITRY_APPROVE_WITHOUT_TERMINAL = 'true';
  });
  afterEach(() => void delete process.env.PERMITRY_APPROVE_WITHOUT_TERMINAL);

  test('approve requires a device key in a live project, whatever the tier; deny requires none', async () => {
    const t = await serveGate();
    const ann = await t.addPerson('ann@example.org', 'approver');
    const id = await t.ask('deploy');
    const refused = await t.as(ann, 'approve', id, '--yes', '--json');
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stdout)).toMatchObject([
      { id, error: { code: 'proof_required', message: expect.stringContaining('permitry device enroll') } },
    ]);
    expect((await t.gate.storage.read.findIntent(id))?.status).toBe('pending');
    expect((await t.as(ann, 'deny', id, '--yes')).code).toBe(0);
  });

  test('show each request and decide it with --yes', async () => {
    const t = await serveGate({ mode: 'test' });
    const ann = await t.addPerson('ann@example.org', 'approver');
    const [one, two, three] = [await t.ask('a.one'), await t.ask('a.two'), await t.ask('a.three')];
    const approved = await t.as(ann, 'approve', one, two, '--comment', 'as agreed', '--yes');
    expect(approved.code).toBe(0);
    expect(approved.stdout).toContain(`Approved a.one (${one}).`);
    expect(approved.stdout).toContain('Parameters');
    expect(await t.get(ann, `/v1/intents/${two}`)).toMatchObject({
      status: 'approved',
      resolved_by: 'ann@example.org',
    });
    const denied = await t.as(ann, 'deny', three, two, '--reason', 'not on a Friday', '--yes', '--json');
    expect(denied.code).toBe(1);
    expect(JSON.parse(denied.stdout)).toMatchObject([
      { id: three, status: 'denied', reason: 'not on a Friday' },
      { id: two, error: { message: expect.stringContaining('already approved') } },
    ]);
    expect(denied.stdout).not.toContain('"token"');
  });

  test('decide nothing without a terminal unless --yes is passed', async () => {
    const t = await serveGate();
    const ann = await t.addPerson('ann@example.org', 'approver');
    const id = await t.ask('deploy');
    const { code, stderr } = await t.as(ann, 'approve', id);
    expect(code).toBe(2);
    expect(stderr).toContain('--yes');
    expect(await t.get(ann, `/v1/intents/${id}`)).toMatchObject({ status: 'pending' });
  });

  test('without a terminal, --yes with a person’s token denies, and approves only if a variable allows it', async () => {
    const t = await serveGate();
    const ann = await t.addPerson('ann@example.org', 'approver');
    const id = await t.ask('deploy');
    for (const value of ['', 'false']) {
      process.env.PERMITRY_APPROVE_WITHOUT_TERMINAL = value;
      const refused = await t.as(ann, 'approve', id, '--yes');
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).toContain('PERMITRY_APPROVE_WITHOUT_TERMINAL=true');
      expect(await t.get(ann, `/v1/intents/${id}`)).toMatchObject({ status: 'pending' });
    }
    expect((await t.as(ann, 'deny', id, '--yes')).code).toBe(0);
    expect(await t.get(ann, `/v1/intents/${id}`)).toMatchObject({ status: 'denied' });
  });

  test('explain why a person may not decide', async () => {
    const t = await serveGate();
    const reader = await t.addPerson('rea@example.org', 'approver', []);
    const id = await t.ask('deploy');
    const refused = await t.as(reader, 'approve', id, '--yes');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('permitry login --allow-decide');
    expect(await t.get(reader, `/v1/intents/${id}`)).toMatchObject({ status: 'pending' });
  });

  test('name a required proof that a token cannot give', async () => {
    const t = await serveGate();
    const ann = await t.addPerson('ann@example.org', 'approver');
    const id = await t.ask('deploy', { proof_tier: 'passkey' });
    const refused = await t.as(ann, 'approve', id, '--yes', '--json');
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stdout)).toMatchObject([
      { id, error: { code: 'proof_required', message: expect.stringContaining(`/approve/${id}`) } },
    ]);
  });

  test('show the required proof in the list and in the request', async () => {
    const t = await serveGate();
    const ann = await t.addPerson('ann@example.org', 'approver');
    const id = await t.ask('deploy', { proof_tier: 'session' });
    expect((await t.as(ann, 'inbox')).stdout).toContain('may decide (session)');
    expect((await t.as(ann, 'show', id)).stdout).toContain('a device key or a passkey');
  });

  test('decide nothing if the gate shows something other than what was hashed', async () => {
    const t = await serveGate();
    const ann = await t.addPerson('ann@example.org', 'approver');
    const id = await t.ask('payments.refund', { params: { amount: 90_000 } });
    const liar = await proxy(t.url, (text) => text.replace('{\\"amount\\":90000}', '{\\"amount\\":9}'));
    process.env.PERMITRY_KEY = ann;
    onTestFinished(() => {
      delete process.env.PERMITRY_KEY;
    });
    const { code, stderr } = await permitry(['approve', id, '--yes', '--url', liar]);
    expect(code).toBe(1);
    expect(stderr).toContain('does not match its hashes');
    expect(await t.get(ann, `/v1/intents/${id}`)).toMatchObject({ status: 'pending' });
  });

  test('let one secret key do every step in a test project', async () => {
    const t = await serveGate({ mode: 'test' });
    const id = await t.ask('deploy');
    expect((await t.as(t.first.secret_key, 'inbox')).stdout).toContain(id);
    expect((await t.as(t.first.secret_key, 'approve', id, '--yes')).stdout).toContain('Approved deploy');
  });
});

describe('permitry watch', () => {
  test('gives the decision on one request by its exit code', async () => {
    const t = await serveGate({ mode: 'test' });
    const ann = await t.addPerson('ann@example.org', 'approver');
    const id = await t.ask('deploy', { min_approvals: 1 });
    const watching = t.as(ann, 'watch', id, '--json');
    await t.post(ann, `/v1/intents/${id}/deny`, { reason: `no ${HOSTILE}` });
    const { code, stdout } = await watching;
    expect(code).toBe(3);
    const lines = stdout.trimEnd().split('\n');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ type: 'ended', intent_id: id, status: 'denied' });

    expect(await t.as(ann, 'watch', id)).toMatchObject({
      code: 3,
      stdout: expect.not.stringMatching(UNSEEN),
    });
    const open = await t.ask('deploy');
    expect(await t.as(t.first.agent_key, 'watch', open, '--wait', '0s')).toMatchObject({ code: 5 });
    await t.post(ann, `/v1/intents/${open}/approve`, {});
    expect(await t.as(t.first.agent_key, 'watch', open)).toMatchObject({ code: 0 });
  });

  test('prints events as they happen', async () => {
    const t = await serveGate();
    const ann = await t.addPerson('ann@example.org', 'approver');
    const lines = follow(['watch', '--json', '--type', 'intent.created,intent.denied'], t.url, ann);
    // The command prints events only after it has connected. It may miss earlier events, so the test repeats them.
    let heard: Record<string, unknown> | undefined;
    const hearing = lines.next().then((line) => {
      heard = line;
    });
    await expect
      .poll(
        async () => {
          await t.ask('deploy');
          return heard;
        },
        { interval: 200 },
      )
      .toBeDefined();
    await hearing;
    const first = heard ?? {};
    expect(first).toMatchObject({ type: 'intent.created', project_id: t.first.project_id });
    const id = String(first.intent_id);
    await t.post(ann, `/v1/intents/${id}/deny`, {});
    for (;;) {
      const line = await lines.next();
      if (line.type !== 'intent.denied') continue;
      expect(line).toMatchObject({ intent_id: id, actor: { display: 'ann@example.org' } });
      return;
    }
  });
});

/** The lines of JSON that a command in a separate process writes while it runs. */
function follow(args: string[], url: string, key: string): { next(): Promise<Record<string, unknown>> } {
  const env = cleanEnvironment({ PERMITRY_URL: url, PERMITRY_KEY: key });
  const child = spawn(process.execPath, [BIN, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: string[] = [];
  let wake = (): void => undefined;
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
    wake();
  });
  return {
    async next() {
      while (lines.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return JSON.parse(lines.shift() ?? '') as Record<string, unknown>;
    },
  };
}

/** A proxy that changes answers. */
async function proxy(target: string, change: (text: string) => string): Promise<string> {
  const server = createServer(async (request, response) => {
    const answer = await fetch(`${target}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { authorization: request.headers.authorization ?? '' },
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(change(await answer.text()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
