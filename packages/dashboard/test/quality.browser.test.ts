/** Rules for every page: it works on any device and for everybody, and loads nothing that it should not. */
import { AxeBuilder } from '@axe-core/playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BusyGate, serveBusyGate } from './fixtures/busy-gate.ts';
import { EVERY_PAGE, type PageVisit, settled, type Visitors, visitorOf } from './fixtures/every-page.ts';
import {
  type OpenedBrowser,
  type OpenedPage,
  openBrowser,
  type PageOptions,
} from './fixtures/open-browser.ts';
import type { BrowserPerson } from './fixtures/serve-gate.ts';

const LOOKS: readonly (PageOptions & { name: string })[] = [
  { name: 'wide and light', width: 1280, theme: 'light' },
  { name: 'narrow and dark', width: 390, theme: 'dark' },
];
const FIRST_LOAD_BYTES = 136_000;
/**
 * The request, its warnings and the buttons. React, the router and the query client are two thirds of the bytes. The
 * code that checks the hashes and warns is part of the first load, because nobody decides without it.
 */
const FIRST_APPROVE_BYTES = 149_500;
/** The list with sort order and search, and next to it everything that is needed to decide a request. */
const FIRST_INBOX_BYTES = 157_500;
/** Only the list: on a phone, people decide on the request's own page, or in a sheet that loads on demand. */
const FIRST_PHONE_INBOX_BYTES = 140_000;
/** WCAG 2.2 §2.5.8 requires 24; more is better for thumbs. */
const LEAST_TARGET_PX = 24;

let busy: BusyGate;
let browser: OpenedBrowser;
let visitors: Visitors;

beforeAll(async () => {
  [browser, busy] = await Promise.all([openBrowser(), serveBusyGate()]);
  visitors = { admin: await busy.addPerson('ann@example.org', 'admin'), owner: busy.owner };
});
afterAll(async () => {
  await browser.close();
  await busy.close();
});

describe.each(LOOKS)('in a $name window', (look) => {
  // One window per visitor: loaded code stays cached for the next page, as it does for people.
  const windows = new Map<BrowserPerson | null, OpenedPage>();
  afterAll(() => Promise.all([...windows.values()].map((page) => page.context().close())));

  async function visitIn(visit: PageVisit): Promise<OpenedPage> {
    const person = visitorOf(visit, visitors);
    const page = windows.get(person) ?? (await browser.open(busy, person, visit.path(busy), look));
    if (windows.has(person)) await page.goto(`${busy.url}${visit.path(busy)}`);
    windows.set(person, page);
    await settled(page);
    return page;
  }

  test.each(EVERY_PAGE)(
    'the page $name passes axe, fits the width, and has one heading, a title and large enough targets',
    async (visit) => {
      const page = await visitIn(visit);
      const { violations } = await new AxeBuilder({ page })
        .options({ resultTypes: ['violations'] })
        // The pages have no frames; without this, axe would open another window each time to look into them.
        .setLegacyMode()
        .analyze();
      expect(
        violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`),
      ).toEqual([]);
      const beyond = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      await expect.poll(beyond).toBeLessThanOrEqual(0);
      await expect.poll(() => page.locator('h1').count()).toBe(1);
      await expect.poll(() => page.title()).toMatch(/\S.* · Permitry$/);
      await expect.poll(() => tooSmall(page)).toEqual([]);
    },
  );
});

/** Buttons and fields that are too small for a thumb. Links inside sentences may be as high as their line. */
function tooSmall(page: OpenedPage): Promise<string[]> {
  return page.evaluate(
    (least) =>
      [...document.querySelectorAll<HTMLElement>('button, input, select, textarea, summary, [role="tab"]')]
        .filter((element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
        .filter((element) => !element.closest('.unseen, label'))
        .filter((element) => {
          const { width, height } = element.getBoundingClientRect();
          return width > 1 && height > 1 && (width < least || height < least);
        })
        .map((element) => element.outerHTML.slice(0, 120)),
    LEAST_TARGET_PX,
  );
}

test.each([
  ['/sign-in', 1280, null, FIRST_LOAD_BYTES],
  ['/inbox', 1280, 'admin', FIRST_INBOX_BYTES],
  ['/inbox', 390, 'admin', FIRST_PHONE_INBOX_BYTES],
  ['/approve', 390, 'admin', FIRST_APPROVE_BYTES],
] as const)(
  'the first load of %s at %i px stays below its limit, and everything comes from the gate itself',
  async (path, width, who, most) => {
    const target = path === '/approve' ? `${path}/${busy.pending[0]}` : path;
    const page = await browser.open(busy, who && visitors[who], target, { width });
    await settled(page);
    const loaded = await page.evaluate(() =>
      performance.getEntriesByType('resource').map(({ name }) => name),
    );
    expect(loaded.filter((url) => !url.startsWith(`${busy.url}/`))).toEqual([]);
    const files = [...new Set(loaded.filter((url) => url.includes('/assets/')))];
    expect(files.length).toBeGreaterThan(3);
    const sizes = await Promise.all([`${busy.url}${path}`, ...files].map(gzippedSize));
    expect(sizes.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(most);
    await page.context().close();
  },
);

async function gzippedSize(url: string): Promise<number> {
  const answer = await fetch(url, { headers: { 'accept-encoding': 'gzip' } });
  const size = Number(answer.headers.get('content-length'));
  expect(size, url).toBeGreaterThan(0);
  return size;
}

test('a keyboard user can skip the navigation and reach the main content', async () => {
  const page = await browser.open(busy, visitors.admin, '/inbox');
  await settled(page);
  await page.keyboard.press('Tab');
  await expect.poll(() => page.locator(':focus').textContent()).toMatch(/skip/i);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await expect.poll(() => page.evaluate(() => document.activeElement?.closest('main') !== null)).toBe(true);
});

test('the content security policy forbids framing the page, and blocks scripts that are not the gate’s', async () => {
  const page = await browser.open(busy, visitors.admin, '/inbox', {
    expected: /frame-ancestors|Content Security Policy|violates|TrustedScript/,
  });
  await settled(page);
  const answer = await page.request.get(`${busy.url}/inbox`);
  const policy = answer.headers()['content-security-policy'] ?? '';
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/unsafe-inline|unsafe-eval|\*/);
  const ran = await page.evaluate(async () => {
    const script = document.createElement('script');
    try {
      script.textContent = 'window.planted = true';
      document.body.append(script);
    } catch {
      // Trusted Types may block the script before the content security policy does.
    }
    return 'planted' in window;
  });
  expect(ran).toBe(false);
});
