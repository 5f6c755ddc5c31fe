/** The quick starts, done as they are written, with the packed packages. */
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findFreePort } from '../../packages/server/test/fixtures/free-port.ts';
import { copyExample, runExample } from '../../scripts/examples/try-example.ts';
import { lendLockfile } from '../../scripts/pack/install-packages.ts';
import { plainEnvironment } from '../../scripts/pack/installed-gate.ts';
import { packedPackages } from '../../scripts/pack/packed-packages.ts';
import { type QuickStart, readQuickStart } from './quick-start.ts';
import { Terminal } from './terminal.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** Of all pages; `installed` is a project in it. */
let workplace: string;
let installed: string;
let home: string;
let terminals: Terminal[];
let giveBack: () => void;
let ports: Record<8787 | 3030, number> = { 8787: 0, 3030: 0 };

/** All pages begin with an empty folder in which they install the same; that is done once, by the first of them. */
beforeAll(async () => {
  workplace = mkdtempSync(join(tmpdir(), 'permitry-quick-starts-'));
  home = workplace;
  terminals = [];
  await packedPackages();
  const terminal = openTerminal();
  const [first = ''] = readQuickStart('agent-developer.md', {}).shell;
  const [makeFolder = '', initialise = '', install = ''] = first.split('\n');
  await terminal.run(`${makeFolder}\n${initialise}`);
  installed = (await terminal.run('pwd')).trim();
  // Asked for by another page. With a lockfile npm finds everything where `npm ci` left it.
  await terminal.run('npm pkg set dependencies.express=^5.0.0');
  lendLockfile(installed);
  await terminal.run(install);
  await terminal.close();
}, 180_000);

afterAll(() => rmSync(workplace, { recursive: true, force: true }));

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'permitry-quick-start-'));
  terminals = [];
  giveBack = () => undefined;
  ports = { 8787: await findFreePort(), 3030: await findFreePort() };
});

afterEach(async () => {
  await Promise.all(terminals.map((terminal) => terminal.close()));
  giveBack();
  rmSync(home, { recursive: true, force: true });
});

function openTerminal(cwd = home): Terminal {
  const env = {
    ...plainEnvironment(),
    CLONE: ROOT,
    PERMITRY_PORT: String(ports[8787]),
    // Not that of whoever runs the tests.
    XDG_CONFIG_HOME: home,
    npm_config_prefer_offline: 'true',
    npm_config_audit: 'false',
  };
  const terminal = new Terminal({ cwd, env });
  terminals.push(terminal);
  return terminal;
}

/** Line by line, up to the last; the installation is lent to one page after the other. */
async function prepare(terminal: Terminal, block: string): Promise<{ folder: string; last: string }> {
  const [makeFolder = '', initialise, install, ...others] = block.split('\n');
  expect([initialise, install?.replace(' express@5', '')]).toEqual([
    'npm init --yes',
    'npm install "$CLONE"/build/packages/*.tgz',
  ]);
  await terminal.run(makeFolder);
  const folder = (await terminal.run('pwd')).trim();
  lendInstallation(folder);
  const last = others.pop() ?? '';
  for (const line of others) await terminal.run(line);
  return { folder, last };
}

function lendInstallation(folder: string): void {
  const [from, to] = [join(installed, 'node_modules'), join(folder, 'node_modules')];
  renameSync(from, to);
  giveBack = () => renameSync(to, from);
}

/** The lines that the first start shows on a terminal, to be pasted into another; without one it writes a file. */
function shownLines(folder: string): string {
  const shown = JSON.parse(readFileSync(join(folder, 'permitry-data/credentials.json'), 'utf8'));
  return [
    `BASE_URL=http://localhost:${ports[8787]}`,
    `AGENT_KEY=${shown.agent_key}`,
    `SECRET_KEY=${shown.secret_key}`,
    `VERIFIER_KEY=${shown.verifier_key}`,
  ].join('\n');
}

/** Does the first block, which ends with a gate that serves, and saves the files. */
async function begin({ shell: [first = ''], files }: QuickStart): Promise<{ open(): Promise<Terminal> }> {
  const terminal = openTerminal();
  const { folder, last } = await prepare(terminal, first);
  await terminal.start(last).says(/"msg":"listening"/);
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
  const open = async () => {
    const another = openTerminal(folder);
    await another.run(shownLines(folder));
    return another;
  };
  return { open };
}

/** The page for people, and what it loads. */
async function looksWhole(gate: string): Promise<void> {
  const page = await fetch(`${gate}/inbox`);
  const [, script] = /<script[^>]* src="(\/assets\/[^"]+\.js)"/.exec(await page.text()) ?? [];
  const asset = await fetch(gate + script);
  expect([page.status, asset.status]).toEqual([200, 200]);
  expect(asset.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
}

describe('the quick start', () => {
  test('for agents: waits for a person, is denied, and follows a policy', async () => {
    const page = readQuickStart('agent-developer.md', ports);
    const [, exports = '', ask = '', approve = '', deny = '', byRule = ''] = page.shell;
    expect(page.shell).toHaveLength(6);
    const { open } = await begin(page);
    const [agent, person] = [await open(), await open()];
    await agent.run(exports);

    const first = agent.start(ask);
    await person.run(approve.replace('int_…', await first.says(/int_[0-9a-z]{26}/)));
    expect(await first.end()).toMatch(/refunding 120 for A-1001\nrefunded\n$/);

    const second = agent.start(ask);
    await person.run(deny.replace('int_…', await second.says(/int_[0-9a-z]{26}/)));
    expect(await second.end()).toMatch(/Ask for the receipt first\./);

    const said = await agent.run(`set -e; ${byRule}`);
    expect(said).toContain('refunding 5 for A-1001\nrefunded\n');
    expect(said).toContain('Above a thousand dollars a refund takes a cheque.');
    expect(said).not.toMatch(/waiting|refunding 5000/);
    await looksWhole(`http://127.0.0.1:${ports[8787]}`);
    // What runs on a thread of its own was packed as well.
    expect(await agent.run('npx permitry policy simulate policy.yaml')).toMatch(/4 intents/);
  });

  test('for executors: only what was approved, once', async () => {
    const page = readQuickStart('executor.md', ports);
    const [, bank = '', ask = '', requests = ''] = page.shell;
    expect(page.shell).toHaveLength(4);
    const { open } = await begin(page);
    const [executor, agent] = [await open(), await open()];
    await executor.start(bank).says(/http:\/\/localhost/);
    await agent.run(ask);
    const answers = (await agent.run(requests))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(answers).toMatchObject([
      { error: { code: 'permit_required' } },
      { error: { reason: 'params_mismatch' } },
      { refunded: 120, order: 'A-1001' },
      { error: { reason: 'already_used' } },
    ]);
  });

  test('for operators: a gate in live mode, and its backup restored', async () => {
    const page = readQuickStart('operator.md', ports);
    const [make = '', serve = '', ready = '', people = '', backup = ''] = page.shell;
    expect(page.shell).toHaveLength(5);
    const terminal = openTerminal();
    const { folder, last } = await prepare(terminal, make);
    expect(await terminal.run(last)).toContain('live mode, owner you@example.org');
    for (const [name, text] of page.files) writeFileSync(join(folder, name), text);
    await terminal.start(serve).says(/"msg":"listening"/);
    const second = openTerminal(folder);
    expect(await second.run(ready)).toContain('ready');
    const said = await second.run(`set -e; ${people}`);
    expect(said).toMatch(/prm_agent_live_/);
    expect(said).toMatch(/\/invitation#/);
    expect(await second.run(backup)).toMatch(/First project/);
  });
});

test('an example does what its README says with the packed packages', async () => {
  const folder = join(home, 'express');
  await copyExample('express', folder);
  lendInstallation(folder);
  expect(await runExample(folder, folder)).toMatchObject({ ok: true, said: expect.stringMatching(/^ok: /m) });
});
