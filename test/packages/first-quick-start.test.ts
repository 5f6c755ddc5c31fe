/** The first quick start, followed as written, with the packed packages. */
import { expect, test } from 'vitest';
import { installOnce } from './install-once.ts';
import { readQuickStart } from './quick-start.ts';

const { ports, begin } = installOnce();

/** The page for people, and the files it loads. */
async function looksWhole(gate: string): Promise<void> {
  const page = await fetch(`${gate}/inbox`);
  const [, script] = /<script[^>]* src="(\/assets\/[^"]+\.js)"/.exec(await page.text()) ?? [];
  const asset = await fetch(gate + script);
  expect([page.status, asset.status]).toEqual([200, 200]);
  expect(asset.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
}

test('the quick start for agents waits for a person, is denied, and follows a policy', async () => {
  const page = readQuickStart('agent-developer.md', ports());
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
  await looksWhole(`http://127.0.0.1:${ports()[8787]}`);
  // The packages also include the code for separate threads.
  expect(await agent.run('npx permitry policy simulate policy.yaml')).toMatch(/4 requests/);
});
