/** The packed packages, installed once per test file, and an empty folder for each test to follow a page in. */
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { findFreePort } from '../../packages/server/test/fixtures/free-port.ts';
import { lendLockfile } from '../../scripts/pack/install-packages.ts';
import { plainEnvironment } from '../../scripts/pack/installed-gate.ts';
import { packedPackages } from '../../scripts/pack/packed-packages.ts';
import { type QuickStart, readQuickStart } from './quick-start.ts';
import { Terminal } from './terminal.ts';

const ROOT = join(import.meta.dirname, '..', '..');

export interface Installation {
  /** The running test's ports and its empty folder. */
  ports(): Record<8787 | 3030, number>;
  home(): string;
  openTerminal(cwd?: string): Terminal;
  /** Runs a page's block line by line except the last line. Pages use the installation one after another. */
  prepare(terminal: Terminal, block: string): Promise<{ folder: string; last: string }>;
  lendInstallation(folder: string): void;
  /** Runs the page's first block, which ends with a running gate, and saves the page's files. */
  begin(page: QuickStart): Promise<{ open(): Promise<Terminal> }>;
}

export function installOnce(): Installation {
  /** A folder for all pages. `installed` is a project in it. */
  let workplace: string;
  let installed: string;
  let home: string;
  let terminals: Terminal[];
  let giveBack: () => void;
  let ports: Record<8787 | 3030, number> = { 8787: 0, 3030: 0 };

  /** All pages begin with an empty folder and the same installation, which runs only for the first page. */
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
    // Another page needs express. With a lockfile npm finds everything in the cache of `npm ci`.
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
      // Replaces the folder of the person who runs the tests.
      XDG_CONFIG_HOME: home,
      npm_config_prefer_offline: 'true',
      npm_config_audit: 'false',
    };
    const terminal = new Terminal({ cwd, env });
    terminals.push(terminal);
    return terminal;
  }

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

  /**
   * The lines that the first start shows on a terminal, for pasting into another terminal. Without a terminal the gate
   * writes a file instead.
   */
  function shownLines(folder: string): string {
    const shown = JSON.parse(readFileSync(join(folder, 'permitry-data/credentials.json'), 'utf8'));
    return [
      `BASE_URL=http://localhost:${ports[8787]}`,
      `AGENT_KEY=${shown.agent_key}`,
      `SECRET_KEY=${shown.secret_key}`,
      `VERIFIER_KEY=${shown.verifier_key}`,
    ].join('\n');
  }

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

  return { ports: () => ports, home: () => home, openTerminal, prepare, lendInstallation, begin };
}
