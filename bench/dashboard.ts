/**
 * `npm run bench:dashboard`: how soon a person can use a page, in real Chromium on loopback with its CPU slowed down.
 * The emptiest possible page (the floor) runs beside it. docs/performance.md explains the figures.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { type BusyGate, serveBusyGate } from '../packages/dashboard/test/fixtures/busy-gate.ts';
import { type OpenedBrowser, openBrowser } from '../packages/dashboard/test/fixtures/open-browser.ts';
import type { BrowserPerson } from '../packages/dashboard/test/fixtures/serve-gate.ts';
import { readFlags } from '../scripts/read-flags.ts';
import { median } from './median.ts';

const HELP = `Measures how soon a person can use a page of the dashboard.

  npm run bench:dashboard
  npm run bench:dashboard -- --pending 10000 --rounds 7 --slowdown 4
`;

const { values } = readFlags({
  options: {
    rounds: { type: 'string', default: '5' },
    slowdown: { type: 'string', default: '4' },
    pending: { type: 'string', default: '0' },
    help: { type: 'boolean' },
  },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit();
}
const [rounds, slowdown, pending] = [values.rounds, values.slowdown, values.pending].map(Number);

/** The figures of one visit, in milliseconds since its beginning, and what the browser had to load. */
interface Visit {
  /** The page shows everything, and the main thread responds. */
  usableMs: number;
  bytes: number;
  nodes: number;
}

/** Checks in every frame whether the page has settled, and records when. Runs before any script of the page. */
const WATCH = `(() => {
  const look = () => {
    const settled = document.querySelector('h1') && !document.querySelector('.waiting, .skeleton, .spinner');
    if (!settled) return void requestAnimationFrame(look);
    setTimeout(() => { window.usableAt = performance.now(); }, 0);
  };
  requestAnimationFrame(look);
})()`;

async function visit(
  browser: OpenedBrowser,
  busy: BusyGate,
  person: BrowserPerson | null,
  url: string,
): Promise<Visit> {
  const page = await browser.open(busy, person, '/robots.txt');
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Network.setCacheDisabled', { cacheDisabled: true });
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: slowdown ?? 1 });
  await page.addInitScript(WATCH);
  const sizes: Promise<number>[] = [];
  page.on('requestfinished', (request) => {
    sizes.push(
      request.sizes().then(
        ({ responseBodySize }) => responseBodySize,
        () => 0,
      ),
    );
  });
  // Uses the debugger, because the pages' own policy forbids evaluating text inside them.
  const evaluate = async (expression: string): Promise<number> =>
    (await cdp.send('Runtime.evaluate', { expression, returnByValue: true })).result.value;
  await page.goto(url);
  let usableMs = 0;
  while (usableMs === 0) {
    // The check runs rarely, because it uses the page's own time.
    await wait(300);
    usableMs = await evaluate('window.usableAt ?? 0');
  }
  const nodes = await evaluate('document.querySelectorAll("*").length');
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  await page.context().close();
  return { usableMs, bytes, nodes };
}

async function fill(busy: BusyGate, count: number): Promise<void> {
  const ask = (n: number) =>
    busy.call('POST', '/v1/intents', {
      key: busy.agentKey,
      body: { action: 'mail.send', params: { to: [`customer-${n}@example.org`], subject: `Order ${n}` } },
    });
  for (let n = 0; n < count; n += 100)
    await Promise.all(Array.from({ length: Math.min(100, count - n) }, (_, i) => ask(n + i)));
}

const floor = createServer((_request, response) =>
  response.setHeader('content-type', 'text/html').end('<!doctype html><title>floor</title><h1>floor</h1>'),
);
await new Promise<void>((resolve) => floor.listen(0, resolve));
const floorUrl = `http://localhost:${(floor.address() as AddressInfo).port}/`;

const [browser, busy] = await Promise.all([
  openBrowser(),
  serveBusyGate({ config: { rateLimitPerMinute: 0 } }),
]);
try {
  const ann = await busy.addPerson('ann@example.org', 'admin');
  await fill(busy, pending ?? 0);
  const pages: Record<string, string> = {
    floor: floorUrl,
    'sign-in': `${busy.url}/sign-in`,
    inbox: `${busy.url}/inbox`,
    approve: `${busy.url}/approve/${busy.pending[0]}`,
    overview: `${busy.url}/projects/${busy.projectId}/overview`,
    policy: `${busy.url}/projects/${busy.projectId}/policy`,
  };
  const visits = new Map<string, Visit[]>();
  for (let round = 0; round < (rounds ?? 1); round += 1) {
    for (const [name, url] of Object.entries(pages)) {
      const found = await visit(browser, busy, name === 'sign-in' ? null : ann, url);
      visits.set(name, [...(visits.get(name) ?? []), found]);
    }
  }
  const base = median((visits.get('floor') ?? []).map(({ usableMs }) => usableMs));
  console.log(
    `CPU slowed ${slowdown} times, ${rounds} rounds, ${pending} more pending; medians, without caches.\n`,
  );
  console.table(
    Object.fromEntries(
      [...visits].map(([name, found]) => {
        const usable = median(found.map(({ usableMs }) => usableMs));
        return [
          name,
          {
            'usable, ms': Math.round(usable),
            'of the floor': Number((usable / base).toFixed(1)),
            'kB loaded': Math.round(median(found.map(({ bytes }) => bytes)) / 1000),
            elements: median(found.map(({ nodes }) => nodes)),
          },
        ];
      }),
    ),
  );
} finally {
  await browser.close();
  await busy.close();
  floor.close();
}
