/** The other quick starts, followed as written, with the packed packages. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { copyExample, runExample } from '../../scripts/examples/try-example.ts';
import { installOnce } from './install-once.ts';
import { readQuickStart } from './quick-start.ts';

const { ports, home, openTerminal, prepare, lendInstallation, begin } = installOnce();

describe('the quick start', () => {
  test('for executors runs only what was approved, once', async () => {
    const page = readQuickStart('executor.md', ports());
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

  test('for operators sets up a gate in live mode, and restores its backup', async () => {
    const page = readQuickStart('operator.md', ports());
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
  const folder = join(home(), 'express');
  await copyExample('express', folder);
  lendInstallation(folder);
  expect(await runExample(folder, folder)).toMatchObject({ ok: true, said: expect.stringMatching(/^ok: /m) });
});
