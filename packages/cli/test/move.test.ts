/** `permitry move` with the real program, also killed in the middle. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openTestDatabase } from '../../server/test/fixtures/postgres/open-test-database.ts';
import {
  BIN,
  call,
  cleanEnvironment,
  finished,
  freshDirectory,
  initialise,
  REFUND,
  serve,
  spawnPermitry,
} from './fixtures/permitry.ts';

/** Kills its own process when the move prints this. A kill from outside might come too late. */
const DYING = `data:text/javascript,${encodeURIComponent(`
  const { stderr } = process;
  const write = stderr.write.bind(stderr);
  stderr.write = (text, ...rest) => {
    const taken = write(text, ...rest);
    if (String(text).includes('First project verifies')) process.kill(process.pid, 'SIGKILL');
    return taken;
  };`)}`;

test('a move continues after it was killed, and a used permit stays used', async () => {
  const data = freshDirectory();
  const { secret_key: key } = await initialise(data);
  const before = await serve(data, '--base-url', 'http://gate.example');
  const made = await call(`${before.url}/v1/intents`, key, REFUND);
  const approved = await call(`${before.url}/v1/intents/${made.body.id}/approve`, key, {});
  const use = { token: approved.body.permit.token, ...REFUND, consume: true };
  expect((await call(`${before.url}/v1/permits/validate`, key, use)).body.valid).toBe(true);

  const database = await openTestDatabase({ empty: true });
  onTestFinished(() => database.drop());
  const env = {
    PERMITRY_DATABASE_URL: database.url,
    PERMITRY_KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  };
  const move = ['move', '--from', data, '--json'];
  const busy = await spawnPermitry(move, { env });
  expect(busy.code).toBe(1);
  expect(busy.stderr).toContain('Another server is serving');
  expect(existsSync(join(data, 'moved.json'))).toBe(false);
  before.child.kill('SIGTERM');
  await before.ended;

  const cut = await spawnPermitry(move, { env: { ...env, NODE_OPTIONS: `--import=${DYING}` } });
  expect([cut.code, cut.stderr]).toEqual([null, expect.stringContaining('First project verifies')]);
  const places = [
    spawnPermitry(['serve', '--port', '0'], { env }),
    spawnPermitry(['serve', '--data', data, '--port', '0']),
  ];
  for (const refused of await Promise.all(places)) {
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('is being moved')]);
  }

  const done = await spawnPermitry(move, { env });
  expect(done.code).toBe(0);
  expect(JSON.parse(done.stdout)).toMatchObject({ already: false, projects: [{ name: 'First project' }] });
  expect(JSON.parse((await spawnPermitry(move, { env })).stdout)).toMatchObject({ already: true });

  const gate = spawn(process.execPath, [BIN, 'serve', '--port', '0', '--json', '--log-level', 'warn'], {
    env: cleanEnvironment({ ...env, PERMITRY_BASE_URL: 'http://gate.example' }),
  });
  const gateEnded = finished(gate);
  onTestFinished(async () => {
    gate.kill('SIGKILL');
    await gateEnded;
  });
  const url = await new Promise<string>((resolve, reject) => {
    gate.stdout.on('data', (text: string) => {
      const line = text.split('\n').find((one) => one.startsWith('{"url"'));
      if (line) resolve((JSON.parse(line) as { url: string }).url);
    });
    void gateEnded.then(({ stderr }) => reject(new Error(stderr)));
  });
  expect((await call(`${url}/v1/permits/validate`, key, use)).body.error).toMatchObject({
    code: 'permit_invalid',
    reason: 'already_used',
  });
  expect((await call(`${url}/v1/intents`, key, REFUND)).status).toBe(201);

  const [back, stillServed] = await Promise.all([
    spawnPermitry(['move', '--undo', '--from', data], { env }),
    spawnPermitry(['move', '--undo', '--keep-keys', '--from', data], { env }),
  ]);
  expect(back.code).toBe(2);
  expect(back.stderr).toContain('--keep-keys');
  expect(stillServed.stderr).toContain('A gate serves');
});
