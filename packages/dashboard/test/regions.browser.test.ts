/** Dates and numbers in the region and the time zone of the reader, on every page. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BusyGate, serveBusyGate } from './fixtures/busy-gate.ts';
import { EVERY_PAGE, settled, type Visitors, visitorOf } from './fixtures/every-page.ts';
import { type OpenedBrowser, type OpenedPage, openBrowser } from './fixtures/open-browser.ts';
import type { BrowserPerson } from './fixtures/serve-gate.ts';

const READERS = [
  {
    locale: 'de-DE',
    timezoneId: 'America/New_York',
    /** English words, with the forms of the region. */
    shownAs: 'en-DE',
    amount: '12.900',
    /** A number with the separators of another region. */
    foreignNumber: /\d,\d{3}(?!\d)/,
  },
  {
    locale: 'en-US',
    timezoneId: 'Asia/Tokyo',
    shownAs: 'en-US',
    amount: '12,900',
    foreignNumber: /\d\.\d{3}(?!\d)/,
  },
] as const;
type Reader = (typeof READERS)[number];

/** A date with its year in any form, or a time of day. */
const DATE = /\b20\d\d\b|\b\d{1,2}:\d\d\b|\bUTC[+-]|\bGMT\b/;
/** Elements with texts of requesters, members and servers, and with code. */
const NOT_OF_THE_PAGE = 'time, code, pre, .inert, .mono';

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

describe.each(READERS)('a reader with $locale in $timezoneId', (reader) => {
  const windows = new Map<BrowserPerson | null, OpenedPage>();
  afterAll(() => Promise.all([...windows.values()].map((page) => page.context().close())));

  async function visit(person: BrowserPerson | null, path: string): Promise<OpenedPage> {
    const page = windows.get(person) ?? (await browser.open(busy, person, path, reader));
    if (windows.has(person)) await page.goto(`${busy.url}${path}`);
    windows.set(person, page);
    await settled(page);
    return page;
  }

  test.each(EVERY_PAGE)(
    '$name: every date is in a time element, in this region and zone',
    async (visited) => {
      const page = await visit(visitorOf(visited, visitors), visited.path(busy));
      expect(await wrongTimes(page, reader)).toEqual([]);
      const texts = await textsOfThePage(page);
      expect(texts.filter((text) => DATE.test(text) || reader.foreignNumber.test(text))).toEqual([]);
    },
  );

  test('a request shows its amount with the separators of this region, and its times', async () => {
    const page = await visit(visitors.admin, `/approve/${busy.pending[0]}`);
    await expect.poll(() => page.getByText(reader.amount, { exact: true }).count()).toBeGreaterThan(0);
    expect(await page.locator('time').count()).toBeGreaterThan(0);
  });
});

/** Time elements whose tooltip or date is not the one that this reader expects. */
function wrongTimes(page: OpenedPage, { shownAs, timezoneId }: Reader): Promise<string[]> {
  return page.evaluate(
    ([locale, timeZone]) => {
      const instants = new Intl.DateTimeFormat(locale, {
        dateStyle: 'medium',
        timeStyle: 'medium',
        timeZone,
      });
      const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone });
      return [...document.querySelectorAll('time')]
        .filter(({ dateTime, title, textContent }) => {
          const at = new Date(dateTime);
          const isDate = /\b20\d\d\b/.test(textContent);
          return title !== instants.format(at) || (isDate && textContent !== dates.format(at));
        })
        .map(({ outerHTML }) => outerHTML);
    },
    [shownAs, timezoneId] as const,
  );
}

function textsOfThePage(page: OpenedPage): Promise<string[]> {
  return page.evaluate((others) => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts: string[] = [];
    while (walker.nextNode()) {
      const { parentElement, nodeValue } = walker.currentNode;
      if (parentElement?.closest(others) === null && /\d/.test(nodeValue ?? '')) texts.push(nodeValue ?? '');
    }
    return texts;
  }, NOT_OF_THE_PAGE);
}
