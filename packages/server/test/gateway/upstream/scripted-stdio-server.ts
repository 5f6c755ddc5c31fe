/**
 * A small MCP server over stdio, written by hand: `node scripted-stdio-server.ts FOLDER`. The server writes each
 * message that arrives to FOLDER/seen. Before each call it reads FOLDER/how, which says how to behave.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const folder = process.argv[2] ?? '.';
const how = () => (existsSync(join(folder, 'how')) ? readFileSync(join(folder, 'how'), 'utf8').trim() : '');
const description = () =>
  existsSync(join(folder, 'description'))
    ? readFileSync(join(folder, 'description'), 'utf8')
    : 'Says it again.';
const output = () =>
  existsSync(join(folder, 'output'))
    ? { outputSchema: JSON.parse(readFileSync(join(folder, 'output'), 'utf8')) }
    : {};
const say = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

if (how() === 'never starts') process.exit(3);
appendFileSync(join(folder, 'started'), `${process.pid}\n`);
process.stderr.write(
  `token ${process.env.SECRET_TOKEN ?? ''} of ${Object.keys(process.env).toSorted().join(',')}\n`,
);

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  appendFileSync(join(folder, 'seen'), `${line}\n`);
  if (method === 'server/discover') {
    if (how() === 'ends when asked') process.exit(1);
    say({ id, error: { code: -32601, message: 'no such method' } });
  } else if (method === 'initialize') {
    if (how() === 'hangs at initialize') return;
    if (how() === 'refuses to begin') {
      say({ id, error: { code: -32603, message: 'not today' } });
      return;
    }
    say({
      id,
      result: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'scripted', version: '1' },
      },
    });
  } else if (method === 'tools/list') {
    say({
      id,
      result: {
        tools: [
          { name: 'echo', description: description(), inputSchema: { type: 'object' }, ...output() },
          { name: 'drop', inputSchema: { type: 'object' }, annotations: { destructiveHint: true } },
        ],
      },
    });
  } else if (method === 'tools/call') {
    call(id, params);
  }
});

/**
 * A child process that stays behind. It writes something on demand, and records that it did, even if nobody reads it.
 */
const LEFT_BEHIND = `
  const { existsSync, writeFileSync } = require('node:fs');
  const spoke = () => writeFileSync(process.argv[1] + '/spoke', 'yes');
  process.stderr.on('error', spoke);
  const timer = setInterval(() => {
    if (!existsSync(process.argv[1] + '/speak')) return;
    clearInterval(timer);
    process.stderr.write('still here\\n', spoke);
    setInterval(() => {}, 1000);
  }, 20);
`;

function call(id: number, params: { arguments: unknown }): void {
  const text = JSON.stringify(params.arguments);
  switch (how()) {
    case 'hangs':
      return;
    case 'dies':
      process.exit(1);
      return;
    case 'is large':
      process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`);
      writeMuch(50);
      return;
    case 'floods':
      for (let index = 0; index < 20_000; index += 1)
        say({ method: 'notifications/progress', params: { index } });
      return;
    case 'asks for sampling':
      say({ id: 'ask-1', method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } });
      break;
    case 'starts another':
      spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' }).once(
        'spawn',
        function spawned(this: { pid?: number }) {
          appendFileSync(join(folder, 'started'), `${this.pid}\n`);
          say({ id, result: { content: [{ type: 'text', text }] } });
        },
      );
      return;
    case 'leaves one behind':
      spawn(process.execPath, ['-e', LEFT_BEHIND, folder], { stdio: 'inherit', detached: true }).once(
        'spawn',
        function spawned(this: { pid?: number }) {
          appendFileSync(join(folder, 'started'), `${this.pid}\n`);
          say({ id, result: { content: [{ type: 'text', text }] } });
        },
      );
      return;
    default:
  }
  say({ id, result: { content: [{ type: 'text', text }] } });
}

/** Writes megabytes without a line end, as fast as the reader accepts them. */
function writeMuch(megabytes: number): void {
  if (megabytes > 0) process.stdout.write('x'.repeat(1024 * 1024), () => writeMuch(megabytes - 1));
}
