/** A request that is too large to show at once: plain values come first, and the page counts what it does not show. */
import { AxeBuilder } from '@axe-core/playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenedBrowser, openBrowser } from './fixtures/open-browser.ts';
import { type BrowserPerson, type ServedGate, serveGate } from './fixtures/serve-gate.ts';

let browser: OpenedBrowser;
let served: ServedGate;
let ann: BrowserPerson;

beforeAll(async () => {
  browser = await openBrowser();
  served = await serveGate({ mode: 'live' });
  ann = await served.addPerson('ann@example.org', 'approver');
  await served.known('database.delete_rows');
});
afterAll(async () => {
  await browser.close();
  await served.close();
});

const ROWS = Array.from({ length: 2500 }, (_, id) => ({
  id,
  email: `customer${id}@example.org`,
  ...(id === 3 && { note: 'pay \u202eBob' }),
}));

test.each([
  [1280, 'light'],
  [390, 'dark'],
] as const)(
  '2,500 rows at %i px, %s: a table in its own box, and the rest counted beside the buttons',
  async (width, theme) => {
    const params = { rows: ROWS, table: 'customers' };
    const id = await served.ask('database.delete_rows', params, { risk_tier: 'high' });
    const page = await browser.open(served, ann, `/approve/${id}`, { width, theme });
    const beside = page.getByRole('list', { name: 'Warnings' });
    const cut = beside.locator('[data-kind="folded"]');
    await cut.getByText('rows: 2,500 rows, 20 shown').waitFor();
    await cut.getByText('1 part of this request is collapsed and not shown.').waitFor();
    // The table's name is not below its two thousand rows.
    const names = page.locator('.tree-name');
    await expect.poll(() => names.allInnerTexts()).toEqual(['table', expect.stringContaining('rows')]);

    const box = page.getByRole('region', { name: 'rows: 2,500 rows, 20 shown' });
    await box.getByRole('columnheader', { name: 'email' }).waitFor();
    await expect.poll(() => box.getByRole('row').count()).toBe(21);
    // A hidden character is also marked in a cell.
    await box.getByText('U+202E').waitFor();
    expect(await box.innerText()).not.toContain('\u202e');
    await box.getByText('not set').first().waitFor();
    const overhang = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    await expect.poll(overhang).toBeLessThanOrEqual(0);
    const found = (await new AxeBuilder({ page }).analyze()).violations;
    expect(found.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join()}`)).toEqual([]);

    await page.getByText('Show 100 more (2,480 not shown)').click();
    await cut.getByText('rows: 2,500 rows, 120 shown').waitFor();

    // The form repeats the same rows, but the page reports the cut only once.
    await page.getByRole('button', { name: /^Approve once/ }).click();
    const form = width === 390 ? page.getByRole('dialog') : page.locator('.decide-bar');
    await form.getByRole('tree').waitFor();
    const said = form.getByText(/rows: 2,500 rows|collapsed and not shown/);
    await expect
      .poll(() => said.allInnerTexts())
      .toEqual([
        expect.stringContaining('1 part of this request is collapsed and not shown.'),
        'rows: 2,500 rows, 120 shown',
      ]);
    await page.context().close();
  },
);

test('it is not approved in the inbox, which leads to its page', async () => {
  const id = await served.ask('database.delete_rows', { rows: ROWS, table: 'customers' });
  const page = await browser.open(served, ann, '/inbox');
  const row = page.locator(`.inbox-row[data-id="${id}"]`);
  await row.getByText('Open to review: too long for the list.').waitFor();
  await row.click();
  await page.getByRole('article').getByRole('link', { name: 'Review' }).click();
  await page.waitForURL(`**/approve/${id}`);
  await page.context().close();
});
