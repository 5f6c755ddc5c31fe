import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { BIN, cleanEnvironment, finished, freshDirectory, initialise } from './fixtures/permitry.ts';

const PSEUDO_TERMINAL = 'script';
const COMMANDS = [PSEUDO_TERMINAL, 'bash', 'curl'];

/** util-linux' `script` gives the server a pseudo terminal. */
const hasCommands = COMMANDS.every((name) =>
  (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, name))),
);

test.skipIf(!hasCommands)(
  'an empty directory on a terminal: keys are shown, and the curl lines work as pasted',
  async () => {
    const data = freshDirectory();
    // `exec`: a shell that stayed would hear the Ctrl-C as well, and its end would be what is told.
    const command = `exec '${process.execPath}' '${BIN}' serve --data '${data}' --port 0`;
    const terminal = spawn(PSEUDO_TERMINAL, ['-qec', command, '/dev/null'], {
      env: cleanEnvironment({ TERM: 'xterm' }),
    });
    const ended = finished(terminal);
    const shown = await textUntil(terminal.stdout, 'within a day:');
    expect(shown).toContain('Nobody can sign in yet.');

    expect(shown).toContain('shown this once');
    expect(existsSync(join(data, 'credentials.json'))).toBe(false);
    const [lines = ''] = /^BASE_URL=[\s\S]*?(?=^Permitry is listening)/m.exec(shown) ?? [];
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

test.skipIf(!hasCommands)('Ctrl-C at the question of erase erases nothing, and says so', async () => {
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
