import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import {
  BIN,
  cleanEnvironment,
  finished,
  freshDirectory,
  initialise,
  withUnshownKeys,
} from './fixtures/permitry.ts';
import { serveGate } from './fixtures/served-gate.ts';

const PSEUDO_TERMINAL = 'script';
const COMMANDS = [PSEUDO_TERMINAL, 'bash', 'curl'];

/** util-linux' `script` gives the server a pseudo terminal. */
const hasCommands = COMMANDS.every((name) =>
  (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, name))),
);

test.skipIf(!hasCommands)(
  'the first start on a terminal shows the keys, and its curl lines work when pasted',
  async () => {
    const data = freshDirectory();
    // `exec`, because a shell would also receive the Ctrl-C, and its end would be reported instead.
    const command = `exec '${process.execPath}' '${BIN}' serve --data '${data}' --port 0`;
    const terminal = spawn(PSEUDO_TERMINAL, ['-qec', command, '/dev/null'], {
      env: cleanEnvironment({ TERM: 'xterm' }),
    });
    const ended = finished(terminal);
    const shown = await textUntil(terminal.stdout, '"amount":1200}}');
    // The link comes first, whole, in a box.
    expect(shown).toMatch(
      /^┌─+┐\n│ Open this link .*│\n│ +│\n│ http:\/\/localhost:\d+\/set-up#[\w-]{43} +│\n│ +│\n│ It works once, .*│\n└─+┘\n/,
    );
    expect(shown).toContain(`Created a first project in ${data}, in test mode.`);
    expect(shown).toContain('shown only once');
    // The file is deleted after the keys were shown.
    await expect.poll(() => readdirSync(data).filter((name) => name.includes('credentials'))).toEqual([]);
    const [lines = ''] = /^BASE_URL=[\s\S]*/m.exec(shown) ?? [];
    const output = execFileSync('bash', ['-c', lines], { encoding: 'utf8', env: cleanEnvironment() });
    expect(lines).toMatch(/^BASE_URL=http:\/\/localhost:\d+$/m);
    const keys = shown.match(/prm_\w+/g) ?? [];
    expect([keys.length, new Set(keys).size], 'each key once').toEqual([3, 3]);
    expect(output).toContain('"status":"pending"');
    expect(output).toContain('"status":"approved"');
    expect(output).toContain('"authorizes":true');
    expect(output).toContain('"reason":"params_mismatch"');

    terminal.stdin.write('\u0003');
    expect((await ended).code).toBe(0);
  },
);

test.skipIf(!hasCommands)(
  'keys that no start has shown are shown once by the next start, with a set-up link',
  async () => {
    const data = freshDirectory();
    const { unshown, credentials } = await withUnshownKeys(data);
    const start = async (until: string) => {
      const command = `exec '${process.execPath}' '${BIN}' serve --data '${data}' --port 0`;
      const terminal = spawn(PSEUDO_TERMINAL, ['-qec', command, '/dev/null'], {
        env: cleanEnvironment({ TERM: 'xterm' }),
      });
      const ended = finished(terminal);
      await textUntil(terminal.stdout, until);
      terminal.stdin.write('\u0003');
      return (await ended).stdout;
    };
    const shown = await start('"amount":1200}}');
    expect(shown).toContain(credentials.agent_key);
    expect(shown).toMatch(/\/set-up#[\w-]{43}/);
    expect(existsSync(unshown)).toBe(false);
    const again = await start(`permitry set-up --data ${data}`);
    expect(again).not.toMatch(/prm_|set-up#/);
    expect(again).toContain('Nobody can sign in yet.');
  },
);

test.skipIf(!hasCommands)('Ctrl-C at the confirmation of erase erases nothing and says so', async () => {
  const data = freshDirectory();
  await initialise(data);
  const command = `exec '${process.execPath}' '${BIN}' erase --older-than 1 --data '${data}'`;
  const terminal = spawn(PSEUDO_TERMINAL, ['-qec', command, '/dev/null'], {
    env: cleanEnvironment({ TERM: 'xterm' }),
  });
  const ended = finished(terminal);
  await textUntil(terminal.stdout, '[y/N]');
  terminal.stdin.write('\u0003');
  const { code, stdout } = await ended;
  expect(code).toBe(1);
  expect(stripVTControlCharacters(stdout)).toMatch(/\n *permitry: Nothing was erased\.\r?\n$/);
});

test.skipIf(!hasCommands)(
  'approve asks for confirmation on a terminal after it showed the whole request',
  async () => {
    // In live mode the passphrase of the device key is also required: device.test.ts.
    const t = await serveGate({ mode: 'test' });
    const ann = await t.addPerson('ann@example.org', 'approver');
    const id = await t.ask('deploy', { params: { note: '\u001b]0;owned\u0007' } });
    const at = (answer: string) => {
      const command = `exec '${process.execPath}' '${BIN}' approve ${id}`;
      const terminal = spawn(PSEUDO_TERMINAL, ['-qec', command, '/dev/null'], {
        env: cleanEnvironment({ TERM: 'xterm', NO_COLOR: '1', PERMITRY_URL: t.url, PERMITRY_KEY: ann }),
      });
      const ended = finished(terminal);
      void textUntil(terminal.stdout, 'Approve deploy for first-agent').then(() =>
        terminal.stdin.write(answer),
      );
      return ended;
    };
    const left = await at('\u0003');
    expect(left).toMatchObject({ code: 1, stdout: expect.stringContaining('Nothing was decided.') });
    expect(left.stdout).toContain('"\\u001b]0;owned\\u0007"');
    expect(await t.get(ann, `/v1/intents/${id}`)).toMatchObject({ status: 'pending' });
    expect(await at('y')).toMatchObject({ code: 0, stdout: expect.stringContaining('Approved deploy') });
  },
);

function textUntil(stream: NodeJS.ReadableStream, end: string): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    stream.on('data', (chunk: Buffer | string) => {
      text += chunk;
      if (text.includes(end)) resolve(stripVTControlCharacters(text).replaceAll('\r', ''));
    });
    stream.on('end', () => reject(new Error(`ended before "${end}": ${text}`)));
  });
}
