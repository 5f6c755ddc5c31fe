/** The SDK in a web worker of a real browser, without Node and without anything of a page. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { build } from 'tsdown';
import { expect, it } from 'vitest';
import { findChromium } from '../../dashboard/test/fixtures/find-chromium.ts';
import { serveGate } from './fixtures/serve-gate.ts';
import type { GivenToWorker } from './fixtures/worker-program.ts';

async function bundleProgram(): Promise<string> {
  const outDir = mkdtempSync(join(tmpdir(), 'permitry-worker-'));
  try {
    await build({
      config: false,
      cwd: join(import.meta.dirname, '..'),
      entry: { program: join(import.meta.dirname, 'fixtures/worker-program.ts') },
      outDir,
      format: 'esm',
      platform: 'browser',
      deps: { alwaysBundle: [/./], onlyBundle: false },
      dts: false,
      logLevel: 'warn',
      report: false,
    });
    return readFileSync(join(outDir, 'program.js'), 'utf8');
  } finally {
    rmSync(outDir, { recursive: true, force: true });
  }
}

/** Runs in the page. It is a text and not a function, because it is browser code. */
const START_WORKER = `({ program, given }) => new Promise((resolve) => {
  const worker = new Worker(URL.createObjectURL(new Blob([program], { type: 'text/javascript' })), { type: 'module' });
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = ({ message }) => resolve({ failed: message });
  worker.postMessage(given);
})`;

it('a web worker declares intents, verifies permits offline, runs protected functions, and tells errors apart', async () => {
  const served = await serveGate({ rules: [{ name: 'all', match: { action: '*' }, effect: 'allow' }] });
  const browser = await chromium.launch({
    executablePath: findChromium() ?? '',
    args: ['--no-sandbox', '--disable-gpu'],
    headless: true,
  });
  try {
    const page = await browser.newPage();
    // The gate allows no CORS, so the page must have the gate's own origin. The browser gets this empty page at that
    // origin.
    await page.route(`${served.url}/empty`, (route) => route.fulfill({ contentType: 'text/html', body: '' }));
    await page.goto(`${served.url}/empty`);
    const given: GivenToWorker = {
      url: served.url,
      agentKey: served.first.agent_key,
      audience: served.projectId,
    };
    const argument = JSON.stringify({ program: await bundleProgram(), given });
    expect(await page.evaluate(`(${START_WORKER})(${argument})`)).toEqual({
      done: {
        approved_by: 'policy:all',
        again: 'already_used',
        other: 'params_mismatch',
        result: 'deleted /tmp/ü',
        nobody: expect.stringContaining('apiKey'),
        isInWorker: 'function',
        hasNode: 'undefined',
      },
    });
  } finally {
    await browser.close();
    await served.close();
  }
});
