/**
 * Runs the official conformance suite's server scenarios against a real gate's MCP endpoint. Returns its exit code and
 * output.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { readConfig } from '../../packages/server/src/config.ts';
import { putPolicy } from '../../packages/server/src/gate/policy-management/put-policy.ts';
import { buildApp } from '../../packages/server/src/http/app.ts';
import { createLogger } from '../../packages/server/src/http/log/logger.ts';
import { surfaceA } from '../../packages/server/src/http/surface-a/surface-a.ts';
import { surfaceB } from '../../packages/server/src/http/surface-b/surface-b.ts';
import { openTestGate } from '../../packages/server/test/fixtures/open-test-gate.ts';
import { suiteTools } from './suite-tools.ts';

const SUITE = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/conformance/dist/index.js');
const EXPECTED = join(import.meta.dirname, 'expected-failures.yml');

/** Exit code 0: exactly the expected failures occurred. */
export async function runSuite(): Promise<{ code: number | null; output: string }> {
  const t = await openTestGate();
  const document = {
    name: 'suite',
    default: { approvers: ['role:approver'] },
    rules: [{ name: 'all', match: { action: '*' }, effect: 'allow' }],
  };
  await putPolicy(t.gate, t.owner.caller, { projectId: t.projectId, document });
  // The suite has no key, so it gets this one. Everything else is the gate's own.
  const lendKey = async (scope: FastifyInstance): Promise<void> => {
    scope.addHook('onRequest', async ({ headers }) => {
      headers.authorization ??= `Bearer ${t.first.agent_key}`;
    });
  };
  // fastify-plugin marks plugins for every route in this way.
  Object.assign(lendKey, { [Symbol.for('skip-override')]: true });
  const app = await buildApp({
    gate: { ...t.gate, tools: { ...t.gate.tools, connectors: suiteTools } },
    config: readConfig({}, {}),
    logger: createLogger('silent'),
    surfaces: { a: surfaceA, b: surfaceB },
    usage: { note: () => {} },
    extensions: [lendKey],
  });
  const results = mkdtempSync(join(tmpdir(), 'permitry-conformance-'));
  try {
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    const url = `http://localhost:${port}/mcp`;
    return await run(['server', '--url', url, '--suite', 'all', '--expected-failures', EXPECTED], results);
  } finally {
    rmSync(results, { recursive: true, force: true });
    await app.close();
    await t.close();
  }
}

function run(args: readonly string[], folder: string): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [SUITE, ...args, '--output-dir', folder], { cwd: folder });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}
