/**
 * The first minutes, following only the instructions on screen. From an empty folder, by the one-time link that the
 * command prints, to a request that a person has approved.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenedBrowser, openBrowser } from './fixtures/open-browser.ts';

const PERMITRY = join(import.meta.dirname, '../../cli/bin/permitry.js');
const PASSWORD = 'correct horse battery staple';

interface Started {
  url: string;
  setUpUrl: string;
  stop(): Promise<void>;
}

let browser: OpenedBrowser;
let gate: Started;
beforeAll(async () => {
  [browser, gate] = await Promise.all([openBrowser(), start()]);
});
afterAll(async () => {
  await browser?.close();
  await gate?.stop();
});

async function start(): Promise<Started> {
  const folder = mkdtempSync(join(tmpdir(), 'permitry-first-run-'));
  const child = spawn(process.execPath, [
    PERMITRY,
    'serve',
    '--port',
    '0',
    '--data',
    join(folder, 'data'),
    '--json',
  ]);
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  // Waits for a whole line, but reads to the end: if nobody read its output, the gate would end.
  const said = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).on('line', (one) => {
      if (one.includes('credentials_file')) resolve(one);
    });
    child.once('close', () => reject(new Error(`the gate ended: ${errors}`)));
  });
  const line = JSON.parse(said) as { base_url: string; credentials_file: string };
  const kept = JSON.parse(readFileSync(line.credentials_file, 'utf8')) as { set_up_url: string };
  return {
    url: line.base_url,
    setUpUrl: kept.set_up_url,
    async stop() {
      const ended = once(child, 'close');
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

test('set up by the printed link, register an agent, paste its line, approve', async () => {
  const page = await browser.open({ url: '' }, null, gate.setUpUrl);
  await page.getByLabel('Your name').fill('Olga Owner');
  await page.getByLabel('Email address').fill('olga@example.org');
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: /Not now/ }).click();

  await page.waitForURL('**/inbox');
  await page.getByRole('link', { name: 'Register an agent' }).click();
  await page.getByLabel('Name', { exact: true }).fill('refund-bot');
  await page.getByRole('button', { name: 'Register agent' }).click();
  await page.getByText('Waiting for its first request').waitFor();

  const shown = page.locator('main pre');
  const [environment = '', program = ''] = await shown.allInnerTexts();
  // The instructions on the page work as written, in all three ways.
  const withSdk = promisify(execFile)('bash', [
    '-c',
    `${environment}\n${quote(process.execPath)} --input-type=module --eval ${quote(program)}`,
  ]);
  await page.getByRole('link', { name: 'View request' }).waitFor();
  await page.getByRole('tab', { name: 'curl' }).click();
  const toPaste = await shown.allInnerTexts();
  const { stdout } = await promisify(execFile)('bash', ['-c', toPaste.join('\n')]);
  expect(JSON.parse(stdout)).toMatchObject({ status: 'pending' });
  await page.getByRole('tab', { name: 'MCP' }).click();
  const { permitry } = JSON.parse(await shown.innerText()).mcpServers;
  const listed = await fetch(permitry.url, {
    method: 'POST',
    headers: {
      ...permitry.headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  expect(await listed.text()).toContain('payments.refund');

  await page.getByRole('link', { name: 'View request' }).click();
  await page.getByRole('button', { name: 'Approve once' }).click();
  await page.getByRole('button', { name: 'Approve once' }).waitFor({ state: 'detached' });
  expect((await withSdk).stdout).toBe('Hello, world\n');

  // The link does not work a second time, but the password does.
  const again = await browser.open({ url: '' }, null, gate.setUpUrl);
  await again.getByRole('link', { name: 'Sign in' }).click();
  await again.getByLabel('Email address').fill('olga@example.org');
  await again.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await again.getByRole('button', { name: 'Sign in', exact: true }).click();
  await again.waitForURL('**/inbox');
  await again.getByText('demo.hello').first().waitFor();
});
