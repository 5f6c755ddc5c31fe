/** The compile cache in the image, so that the first start of a container does not compile. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { initializeByMcp } from './fixtures/initialize-by-mcp.ts';
import { cleanEnvironment, finished, freshDirectory, serveWith } from './fixtures/permitry.ts';

const WARM = join(import.meta.dirname, '../../../packaging/warm-compile-cache.js');

test('a gate finds everything compiled when it starts and answers MCP', async () => {
  const cache = mkdtempSync(join(tmpdir(), 'permitry-compiled-'));
  onTestFinished(() => rmSync(cache, { recursive: true, force: true }));
  const env = { NODE_COMPILE_CACHE: cache };
  const { code } = await finished(spawn(process.execPath, [WARM], { env: cleanEnvironment(env) }));
  expect(code).toBe(0);
  const compiled = readdirSync(cache, { recursive: true }).sort();
  expect(compiled.length).toBeGreaterThan(500);

  const gate = await serveWith(env, freshDirectory());
  expect(await initializeByMcp(gate)).toBe(200);
  gate.child.kill('SIGTERM');
  await gate.ended;
  expect(readdirSync(cache, { recursive: true }).sort()).toEqual(compiled);
});
