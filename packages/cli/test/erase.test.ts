import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  freshDirectory,
  initialise,
  permitry,
  permitryJson,
  serve,
  spawnPermitry,
} from './fixtures/permitry.ts';

const CUSTOMER = 'zenobia@example.net';

/** A gate that is served, with one denied intent that names a person. */
async function gate() {
  const data = freshDirectory();
  const { agent_key: agent, secret_key: owner } = await initialise(data);
  const { url } = await serve(data);
  const post = async (path: string, key: string, body: object): Promise<{ id: string }> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
    return (await answer.json()) as { id: string };
  };
  const { id: intentId } = await post('/v1/intents', agent, {
    action: 'mail.send',
    params: { to: CUSTOMER },
  });
  await post(`/v1/intents/${intentId}/deny`, owner, { reason: `not to ${CUSTOMER}` });
  const at = ['--data', data];
  return {
    data,
    intentId,
    run: (...args: string[]) => permitry([...args, ...at]),
    json: <T = unknown>(...args: string[]) => permitryJson<T>(...args, ...at),
    holds: (text: string) =>
      ['permitry.sqlite', 'permitry.sqlite-wal'].some((file) =>
        readFileSync(join(data, file)).includes(text),
      ),
  };
}

describe('permitry erase', () => {
  test('erases one request, with its bytes in the files', async () => {
    const { intentId, json, holds } = await gate();
    expect(holds(CUSTOMER)).toBe(true);
    const erased = await json('erase', '--intent', intentId, '--yes');
    expect(erased).toEqual({ intents: 1, records: expect.any(Number), answers: 0, files: 'cleared' });
    expect(holds(CUSTOMER)).toBe(false);
  });

  test('erases a person, and reports what was erased', async () => {
    const { run, holds } = await gate();
    const { code, stdout } = await run('erase', '--person', CUSTOMER, '--yes', '--finish');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Erased: texts of 1 request, \d+ audit records?, 0 remembered answers\.\n$/);
    expect(holds(CUSTOMER)).toBe(false);
  });

  test('makes a simulation skip erased requests and report that', async () => {
    const { intentId, run } = await gate();
    await run('erase', '--intent', intentId, '--yes');
    const { stdout } = await run('policy', 'simulate');
    expect(stdout).toMatch(/^0 of 1 request in \d+\.\d s\n1 skipped, because texts were erased\n/);
  });

  test('erases texts by age', async () => {
    const { json, holds } = await gate();
    expect(await json('erase', '--older-than', '1', '--yes')).toEqual({
      intents: 0,
      records: 0,
      files: 'cleared',
    });
    expect(holds(CUSTOMER)).toBe(true);
  });

  test('lists no unfinished erasure once the file was rebuilt', async () => {
    const { intentId, run, json } = await gate();
    await run('erase', '--intent', intentId, '--yes');
    expect(await json('erase', '--unfinished')).toEqual([]);
    expect(await json('erase', '--finish')).toEqual({ finished: 0 });
    expect(await run('erase', '--unfinished', '--finish')).toMatchObject({ code: 2 });
  });

  test('asks first, and requires --yes without a terminal', async () => {
    const { data, intentId, holds } = await gate();
    const asked = await spawnPermitry(['erase', '--intent', intentId, '--data', data], { stdin: 'y\n' });
    expect(asked.code).toBe(2);
    expect(asked.stderr).toContain('--yes');
    expect(holds(CUSTOMER)).toBe(true);
  });

  test('explains what it cannot erase', async () => {
    const { run } = await gate();
    expect(await run('erase', '--yes')).toMatchObject({ code: 2 });
    expect(await run('erase', '--yes', '--intent', 'x', '--person', 'y')).toMatchObject({ code: 2 });
    for (const days of ['0', '-1', 'x', '1.5', '99999']) {
      expect(await run('erase', '--yes', '--older-than', days)).toMatchObject({ code: 2 });
    }
    expect(await run('erase', '--yes', '--intent', 'int_x')).toMatchObject({ code: 1 });
    expect(await run('erase', '--yes', '--person', 'owner@localhost')).toMatchObject({ code: 1 });
  });
});

describe('permitry project retention', () => {
  test('sets a number of days, forever, or the default of the gate', async () => {
    const { run, json } = await gate();
    expect(await json('project', 'retention', '365')).toMatchObject({ retention_days: 365 });
    expect(await json('project', 'retention', '0')).toMatchObject({ retention_days: 0 });
    expect(await json('project', 'retention', 'default')).toMatchObject({ retention_days: null });
    expect((await run('project', 'retention', '30')).stdout).toContain('30 days');
    expect((await run('project', 'retention')).stdout).toContain('for 30 days');
    expect(await json('project', 'retention')).toMatchObject({ retention_days: 30 });
    expect(await run('project', 'retention', 'soon')).toMatchObject({ code: 2 });
  });
});
