import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openGate } from '@permitry/server';
import { describe, expect, test } from 'vitest';
import { authenticateKey } from '../../server/src/gate/access/authenticate-key.ts';
import { submitIntent } from '../../server/src/gate/intents/submit.ts';
import {
  call,
  freshDirectory,
  initialise,
  permitry,
  permitryJson,
  REFUND,
  readCredentials,
  serve,
  spawnPermitry,
} from './fixtures/permitry.ts';

const FREE = `name: free
default: { approvers: ["role:approver"] }
rules: [{ name: refunds are free, match: { action: "payments.*" }, effect: allow }]
`;
const BOUNDED = `name: bounded
default: { approvers: ["role:approver"] }
rules: [{ name: small refunds, match: { action: "payments.*" }, when: params.amount < 100, effect: allow }]
`;

function fileOf(name: string, text: string): string {
  const path = join(dirname(freshDirectory()), name);
  writeFileSync(path, text);
  return path;
}

/** A directory with refunds of these amounts, all allowed by its policy. */
async function directoryWith(...amounts: number[]): Promise<string> {
  const data = freshDirectory();
  const first = await initialise(data);
  await permitryJson('policy', 'put', fileOf('free.yaml', FREE), '--data', data);
  agentKeys.set(data, first.agent_key);
  await submit(data, ...amounts);
  return data;
}

const agentKeys = new Map<string, string>();

async function submit(data: string, ...amounts: number[]): Promise<void> {
  const opened = await openGate({ database: { directory: data }, issuer: 'http://localhost:8787' });
  const { caller } = await authenticateKey(opened.gate, agentKeys.get(data) ?? '');
  for (const amount of amounts) await submitIntent(opened.gate, caller, { ...REFUND, params: { amount } });
  await opened.close();
}

interface Summary {
  evaluated: number;
  changes: { changed: number; groups: { to: { rule: string | null }; samples: string[] }[] };
  since_made?: { changed: number; looser: number };
  intents?: { draft: { effect: string } }[];
}

describe('permitry policy simulate', () => {
  test('shows the changes of a draft by rule', async () => {
    const data = await directoryWith(10, 120, 500);
    const draft = fileOf('draft.yaml', BOUNDED);
    const { code, stdout, stderr } = await permitry(['policy', 'simulate', draft, '--data', data]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^3 requests in \d+\.\d s\n2 change compared with version 2, the active policy: 2 stricter, 0 looser, 0 mixed\n/,
    );
    expect(stdout).toMatch(
      /2 +allow by "refunds are free" +require_approval by default +stricter +effect +int_[0-9a-z]{26}\n/,
    );
    expect(stdout).toContain('Compared with the policies at the time: 2 differ.');
  });

  test('prints the summary of the API with --json', async () => {
    const data = await directoryWith(10, 120, 500);
    const draft = fileOf('draft.yaml', BOUNDED);
    const summary = await permitryJson<Summary>('policy', 'simulate', draft, '--data', data, '--limit', '2');
    expect(summary).toMatchObject({ type: 'summary', complete: true, evaluated: 2, changes: { changed: 2 } });
    const none = await permitryJson<Summary>(
      'policy',
      'simulate',
      draft,
      '--data',
      data,
      '--action',
      'mail.*',
    );
    expect(none).toMatchObject({ evaluated: 0, scanned: 3 });
  });

  test('does not claim that nothing changes if no requests match, and names a wrong value by its flag', async () => {
    const data = await directoryWith(10);
    const at = [fileOf('draft.yaml', BOUNDED), '--data', data];
    const none = await permitry(['policy', 'simulate', ...at, '--action', 'mail.*']);
    expect(none).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing was simulated') });
    expect(none.stdout).not.toContain('Nothing changes');
    const wrong = await permitry(['policy', 'simulate', ...at, '--from', 'yesterday']);
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('permitry: --from: ') });
  });

  test('compares the active policy with the decisions at the time if no file is given', async () => {
    const data = await directoryWith(10, 120);
    await permitryJson('policy', 'put', fileOf('bounded.yaml', BOUNDED), '--data', data);
    const { stdout } = await permitry(['policy', 'simulate', '--data', data]);
    expect(stdout).toContain('1 change since they were created: 1 stricter, 0 looser, 0 mixed');
  });

  test.each([
    ['change', BOUNDED, 1],
    ['looser', BOUNDED, 0],
    ['looser', FREE.replace('allow', 'require_approval'), 0],
    ['change', FREE, 0],
    ['failure', BOUNDED, 0],
    ['failure', BOUNDED.replace('params.amount', 'params.sum'), 1],
  ])('gives the right exit code with --fail-on %s', async (what, policy, expected) => {
    const data = await directoryWith(120);
    const args = ['policy', 'simulate', fileOf('draft.yaml', policy), '--data', data, '--fail-on', what];
    expect((await permitry(args)).code).toBe(expected);
  });

  test('fails with --fail-on looser if a draft is looser', async () => {
    const data = await directoryWith(120);
    await permitryJson('policy', 'put', fileOf('bounded.yaml', BOUNDED), '--data', data);
    const free = fileOf('free.yaml', FREE);
    const args = ['policy', 'simulate', free, '--data', data, '--fail-on', 'failure', '--fail-on', 'looser'];
    expect((await permitry(args)).code).toBe(1);
  });

  test('takes given requests, one on each line', async () => {
    const data = await directoryWith();
    const intents = fileOf(
      'intents.ndjson',
      '{"action":"payments.refund","params":{"amount":5}}\n\n{"action":"x"}\n',
    );
    const draft = fileOf('draft.yaml', BOUNDED);
    const summary = await permitryJson<Summary>(
      'policy',
      'simulate',
      draft,
      '--data',
      data,
      '--intents',
      intents,
    );
    expect(summary.intents?.map(({ draft: said }) => said.effect)).toEqual(['allow', 'require_approval']);
  });

  test.each([
    ['a draft with mistakes', ['DRAFT'], 1, /^$/],
    ['lines that are not requests', ['--intents', 'NONE'], 2, /Request 1: /],
    ['a line that is not JSON', ['--intents', 'BROKEN'], 2, /broken\.ndjson:2: /],
    [
      'given and past requests together',
      ['--intents', 'NONE', '--from', '2026-01-01'],
      2,
      /Pass --intents, or choose past requests/,
    ],
    ['a wrong time', ['--from', 'yesterday'], 2, /ISO 8601/],
    ['a wrong number', ['--limit', '0'], 2, /--limit/],
    ['a wrong word', ['--fail-on', 'rain'], 2, /change, looser, failure/],
    ['--url without a key', ['--url', 'http://localhost:1'], 2, /PERMITRY_API_KEY/],
  ])('refuses %s', async (_what, args, code, words) => {
    const data = await directoryWith();
    const files: Record<string, string> = {
      DRAFT: fileOf('draft.yaml', BOUNDED.replace('params.amount', 'parms.amount')),
      NONE: fileOf('none.ndjson', '{"actoin":"x"}\n'),
      BROKEN: fileOf('broken.ndjson', '{"action":"x"}\n{"action"\n'),
    };
    const finished = await permitry([
      'policy',
      'simulate',
      '--data',
      data,
      ...args.map((arg) => files[arg] ?? arg),
    ]);
    expect(finished.code).toBe(code);
    expect(finished.stderr).toMatch(words);
  });

  test('asks a remote gate with the key from the environment', async () => {
    const data = freshDirectory();
    const { url, credentialsFile } = await serve(data);
    const first = readCredentials(String(credentialsFile));
    expect((await call(`${url}/v1/intents`, first.agent_key, REFUND)).status).toBe(201);
    const draft = fileOf('free.yaml', FREE);
    const remote = (key: string, ...more: string[]) =>
      spawnPermitry(
        ['policy', 'simulate', draft, '--url', url, '--project', first.project_id, '--json', ...more],
        {
          env: { PERMITRY_API_KEY: key },
        },
      );
    const stored = await remote(first.secret_key);
    expect(stored.code).toBe(0);
    expect(JSON.parse(stored.stdout)).toMatchObject({
      type: 'summary',
      evaluated: 1,
      changes: { looser: 1 },
    });
    const given = await remote(first.secret_key, '--intents', fileOf('i.ndjson', '{"action":"payments.x"}'));
    expect(JSON.parse(given.stdout)).toMatchObject({
      evaluated: 1,
      intents: [{ draft: { effect: 'allow' } }],
    });
    const refused = await remote(first.agent_key);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('policies:simulate');
  });
});

describe('permitry policy shadow', () => {
  const WAS = { effect: 'allow', rule: 'refunds are free' };
  const WOULD_BE = { effect: 'require_approval', rule: null };

  test('sets, shows, lists and publishes a shadow policy, which then ends', async () => {
    const data = await directoryWith();
    const draft = fileOf('draft.yaml', BOUNDED);
    const run = (...args: string[]) =>
      permitryJson<Record<string, unknown>>('policy', ...args, '--data', data);

    const { hash } = await run('shadow', 'set', draft);
    expect(await run('shadow', 'show')).toMatchObject({ hash, evaluated: 0, policy: { name: 'bounded' } });
    await submit(data, 120);
    const { stdout } = await permitry(['policy', 'shadow', 'divergences', '--data', data]);
    expect(stdout).toMatch(/evaluated 1 request and would have decided 1 differently/);
    expect(stdout).toMatch(/1 +allow by "refunds are free" +require_approval by default +stricter +effect\n/);
    expect(stdout).toMatch(
      /int_[0-9a-z]{26} +allow by "refunds are free" +require_approval by default +stricter\n/,
    );

    expect(await run('shadow', 'divergences')).toEqual({
      hash,
      since: expect.any(String),
      evaluated: 1,
      diverged: 1,
      groups: [{ in_force: WAS, shadow: WOULD_BE, direction: 'stricter', terms: [], count: 1 }],
      failures: [],
      data: [
        {
          intent_id: expect.stringMatching(/^int_/),
          at: expect.any(String),
          in_force: WAS,
          shadow: WOULD_BE,
          direction: 'stricter',
          terms: [],
        },
      ],
      next_cursor: null,
    });
    expect((await permitry(['policy', 'shadow', 'divergences', '--data', data, '--limit', 'x'])).code).toBe(
      2,
    );

    const wrong = await permitry(['policy', 'promote-shadow', '--data', data, '--if-match', 'sha256:00']);
    expect(wrong.code).toBe(1);
    expect(await run('promote-shadow')).toMatchObject({ version: 3, hash });
    expect(await run('show')).toMatchObject({ version: 3, hash });
    const gone = await permitry(['policy', 'shadow', 'show', '--data', data]);
    expect(gone).toMatchObject({ code: 1, stderr: expect.stringContaining('no shadow policy') });
  });

  test('removes a shadow policy, and refuses a wrong one', async () => {
    const data = await directoryWith();
    const run = (...args: string[]) => permitry(['policy', ...args, '--data', data]);
    expect((await run('shadow', 'set', fileOf('p.yaml', BOUNDED.replace('allow', 'alow')))).code).toBe(1);
    expect(
      (await run('shadow', 'set', fileOf('p.yaml', BOUNDED.replace('role:approver', 'treasury')))).stderr,
    ).toContain('treasury');
    expect((await run('shadow', 'remove')).code).toBe(1);
    expect((await run('promote-shadow')).code).toBe(1);
    expect((await run('shadow', 'set', fileOf('p.yaml', BOUNDED))).code).toBe(0);
    expect((await run('shadow', 'remove')).stdout).toContain('The shadow policy was removed');
    expect((await run('shadow', 'divergences')).code).toBe(1);
  });
});
