/** The examples, run as their READMEs say, each in a folder of its own beside this repository's packages. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, globSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveGate } from '../packages/sdk/test/fixtures/serve-gate.ts';
import { readCommands } from '../scripts/examples/try-example.ts';

const ROOT = join(import.meta.dirname, '..');
const EXAMPLES = globSync('*/README.md', { cwd: join(ROOT, 'examples') })
  .map(dirname)
  .sort();

let temporary: string;
beforeAll(() => {
  temporary = mkdtempSync(join(tmpdir(), 'permitry-examples-'));
});
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

/** Without the settings of the person who runs the tests. */
function environment(variables: Record<string, string>): Record<string, string> {
  return {
    HOME: temporary,
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    ...variables,
  };
}

async function run(commands: string, cwd: string, env: Record<string, string>) {
  const shell = spawn('bash', ['--norc', '--noprofile', '-e', '-c', commands], { cwd, env });
  let said = '';
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
  }
  const [code] = (await once(shell, 'close')) as [number | null];
  return { code, said };
}

test('there is an example for every framework', () => {
  expect(EXAMPLES).toEqual([
    'ai-sdk',
    'claude-agent-sdk',
    'claude-code-hook',
    'express',
    'fastify',
    'hono',
    'langgraph',
    'mcp-client',
    'openai-agents',
  ]);
});

describe.concurrent('the example', () => {
  test.each(EXAMPLES)('%s does what its README says', async (name) => {
    const folder = join(temporary, name);
    cpSync(join(ROOT, 'examples', name), folder, { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const served = await serveGate();
    try {
      const { agent_key, secret_key, verifier_key } = served.first;
      const commands = readCommands(await readFile(join(folder, 'README.md'), 'utf8'));
      const env = environment({
        PERMITRY_URL: served.url,
        PERMITRY_KEY: agent_key,
        PERMITRY_SECRET_KEY: secret_key,
        PERMITRY_VERIFIER_KEY: verifier_key,
      });
      const { code, said } = await run(commands, folder, env);
      expect(said).toMatch(/^ok: /m);
      expect(code, said).toBe(0);
      expect(said).not.toMatch(/prm_(agent|secret|verify)_/);
    } finally {
      await served.close();
    }
  });
});
