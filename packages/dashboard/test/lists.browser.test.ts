/** Sort order, search and the way back in the lists of requests; URLs of tabs; the mode; what is drawn first. */
import { expect, test } from 'vitest';
import { type AtAGate, atAGate } from './fixtures/at-a-gate.ts';
import type { OpenedPage } from './fixtures/open-browser.ts';
import { serveGate } from './fixtures/serve-gate.ts';

let { browser, served, ann } = {} as AtAGate;
atAGate({ everyTest: true }, (at) => ({ browser, served, ann } = at));

const actions = (page: OpenedPage) => page.locator('.inbox-row .inbox-action').allInnerTexts();
const selected = (page: OpenedPage) => page.locator('.inbox-row[data-selected] .inbox-action');
const connected = (page: OpenedPage) => page.getByText('Connected', { exact: true }).waitFor();
const searchOf = (page: OpenedPage) => new URL(page.url()).search;

async function openInbox(search = '', options = {}): Promise<OpenedPage> {
  const page = await browser.open(served, ann, `/inbox${search}`, options);
  await connected(page);
  return page;
}

test('the inbox is sorted by expiry or risk, as its URL says, and new requests appear in that order', async () => {
  await served.ask('later', {}, { expires_in: 7200 });
  await served.ask('grave', {}, { expires_in: 9000, risk_tier: 'critical' });
  await served.ask('soon', {}, { expires_in: 600 });
  const page = await openInbox();
  await expect.poll(() => actions(page)).toEqual(['soon', 'grave', 'later']);
  await page.getByLabel('Sort by').selectOption('Expiring soon');
  await expect.poll(() => actions(page)).toEqual(['soon', 'later', 'grave']);
  expect(searchOf(page)).toBe('?sort=expiring');

  await served.ask('sooner', {}, { expires_in: 1200 });
  await page.getByRole('button', { name: '1 new' }).click();
  await expect.poll(() => actions(page)).toEqual(['soon', 'sooner', 'later', 'grave']);

  const other = await openInbox('?sort=risk');
  await expect.poll(() => actions(other)).toEqual(['grave', 'soon', 'sooner', 'later']);
  expect(await other.getByLabel('Sort by').inputValue()).toBe('risk');
  await other.getByLabel('Sort by').selectOption('Newest first');
  await expect.poll(() => actions(other)).toEqual(['sooner', 'soon', 'grave', 'later']);
});

test('the search finds an order number in the parameters, in the inbox and in the history', async () => {
  const id = await served.ask('payments.refund', { order: 'A-4711' });
  await served.ask('payments.refund', { order: 'A-4712' });
  const page = await openInbox();
  await page.getByPlaceholder('Action, parameters, requester, ID').fill('a-4711');
  await expect.poll(() => page.locator('.inbox-row').count()).toBe(1);
  expect(await page.locator('.inbox-row').getAttribute('data-id')).toBe(id);
  await served.call('POST', `/v1/intents/${id}/deny`, { key: served.first.secret_key, body: {} });
  const history = await browser.open(served, ann, '/history?q=a-4711');
  await expect.poll(() => history.locator('main a[href^="/approve/"]').count()).toBe(1);
});

test('going back from a request restores the filters, selection and scroll position of the inbox', async () => {
  for (let n = 0; n < 60; n += 1) await served.ask(`deploy.${n}`);
  await served.ask('mail.send');
  const page = await openInbox('?action=deploy.*&sort=expiring');
  const column = page.locator('.inbox-column');
  const wanted = page.locator('.inbox-action', { hasText: 'deploy.29' });
  const look = () => column.evaluate((element) => element.scrollBy(0, 400)).then(() => wanted.count());
  await expect.poll(look).toBe(1);
  await page.locator('.inbox-row', { has: wanted }).locator('.inbox-who').click();
  await expect.poll(() => selected(page).innerText()).toBe('deploy.29');
  const topOf = async () => (await selected(page).boundingBox())?.y ?? 0;
  await column.evaluate((element) => element.scrollBy(0, 40));
  const before = await topOf();

  for (const back of [
    () => page.goBack(),
    () => page.getByRole('link', { name: '‹ Inbox' }).click(),
  ] as const) {
    await page.keyboard.press('o');
    await page.waitForURL('**/approve/*');
    await page.getByRole('heading', { name: 'deploy.29' }).waitFor();
    await back();
    await page.waitForURL('**/inbox?*');
    expect(searchOf(page)).toBe('?action=deploy.*&sort=expiring');
    await expect.poll(() => selected(page).innerText()).toBe('deploy.29');
    await expect.poll(async () => Math.abs((await topOf()) - before)).toBeLessThan(3);
  }
  // The link in the menu opens the list at its top.
  await page.keyboard.press('o');
  await page.getByRole('heading', { name: 'deploy.29' }).waitFor();
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Inbox' }).click();
  await expect.poll(() => selected(page).innerText()).toBe('mail.send');
});

test('on a phone, going back from a request leads to its row, which shows that it was decided meanwhile', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 40; n += 1) ids.push(await served.ask(`deploy.${n}`));
  const page = await openInbox('', { width: 390, height: 800 });
  const row = page.locator(`.inbox-row[data-id="${ids[20]}"]`);
  await row.scrollIntoViewIfNeeded();
  const before = (await row.boundingBox())?.y ?? 0;
  await row.locator('.inbox-action').click();
  await page.getByRole('heading', { name: 'deploy.20' }).waitFor();
  await served.call('POST', `/v1/intents/${ids[20]}/deny`, { key: served.first.secret_key, body: {} });
  await page.goBack();
  await row.getByText(/denied/).waitFor();
  await expect.poll(async () => Math.abs(((await row.boundingBox())?.y ?? 0) - before)).toBeLessThan(200);
});

test('going back from a request restores the filters and scroll position of the history', async () => {
  for (let n = 0; n < 30; n += 1) {
    const id = await served.ask(`deploy.${n}`);
    await served.call('POST', `/v1/intents/${id}/deny`, { key: served.first.secret_key, body: {} });
  }
  const page = await browser.open(served, ann, '/history?action=deploy.*');
  const link = page.getByRole('link', { name: 'deploy.5', exact: true });
  await link.scrollIntoViewIfNeeded();
  const before = (await link.boundingBox())?.y ?? 0;
  for (const back of [
    () => page.goBack(),
    () => page.getByRole('link', { name: '‹ History' }).click(),
  ] as const) {
    await link.click();
    await page.getByRole('heading', { name: 'deploy.5' }).waitFor();
    await back();
    await page.waitForURL('**/history?action=deploy.*');
    await expect.poll(async () => Math.abs(((await link.boundingBox())?.y ?? 0) - before)).toBeLessThan(3);
  }
});

test('every tab of the policy page has a URL, and going back opens the previous tab', async () => {
  const page = await browser.open(served, served.owner, `/projects/${served.projectId}/policy?tab=shadow`);
  const tab = (name: string) => page.getByRole('tab', { name, exact: true });
  await expect.poll(() => tab('Shadow').getAttribute('aria-selected')).toBe('true');
  await tab('Versions').click();
  await expect.poll(() => searchOf(page)).toBe('?tab=versions');
  await page.reload();
  await expect.poll(() => tab('Versions').getAttribute('aria-selected')).toBe('true');
  await tab('Rules').click();
  expect(searchOf(page)).toBe('');
  await page.goBack();
  await expect.poll(() => tab('Versions').getAttribute('aria-selected')).toBe('true');
  await page.goBack();
  await expect.poll(() => tab('Shadow').getAttribute('aria-selected')).toBe('true');
  await page.goto(`${served.url}/projects/${served.projectId}/policy?tab=nothing`);
  await expect.poll(() => tab('Rules').getAttribute('aria-selected')).toBe('true');
});

test('every page of a test project has a banner that says so, and a page of a live project has none', async () => {
  const banner = (page: OpenedPage) => page.getByText('Test mode.', { exact: true });
  const live = await browser.open(served, served.owner, `/projects/${served.projectId}/overview`);
  await live.getByRole('heading', { name: 'Overview' }).waitFor();
  expect(await banner(live).count()).toBe(0);
  const test = await serveGate({ mode: 'test' });
  try {
    const page = await browser.open(test, test.owner, `/projects/${test.projectId}/overview`);
    for (const path of ['/inbox', '/history', `/approve/${await test.ask('deploy')}`, '/account']) {
      await banner(page).waitFor();
      await page.goto(`${test.url}${path}`);
    }
    await banner(page).waitFor();
  } finally {
    for (const context of browser.browser.contexts()) await context.close();
    await test.close();
  }
});

test('the page draws something before any script or style sheet arrives', async () => {
  const page = await browser.open(served, ann, '/icon.svg');
  const stalled: (() => void)[] = [];
  await page.route('**/assets/**', async (route) => {
    await new Promise<void>((resolve) => stalled.push(resolve));
    await route.continue();
  });
  await page.goto(`${served.url}/inbox`, { waitUntil: 'commit' });
  await page.getByRole('img', { name: 'Loading Permitry' }).waitFor();
  const painted = () =>
    page.evaluate(() => performance.getEntriesByName('first-contentful-paint').length).catch(() => 0);
  await expect.poll(painted).toBe(1);
  const goOn = setInterval(() => {
    for (const one of stalled.splice(0)) one();
  }, 20);
  await connected(page);
  clearInterval(goOn);
  expect(await page.getByRole('img', { name: 'Loading Permitry' }).count()).toBe(0);
});

test('a request is read once when its page is opened', async () => {
  const id = await served.ask('deploy');
  const page = await browser.open(served, ann, '/icon.svg');
  const read: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/console/')) read.push(pathname);
  });
  await page.goto(`${served.url}/approve/${id}`);
  await page.getByRole('heading', { name: 'deploy' }).waitFor();
  await expect.poll(() => read).toContain('/console/stream');
  // The stream has started and reports new events.
  await served.call('POST', `/v1/intents/${id}/deny`, { key: served.first.secret_key, body: {} });
  await page
    .getByText(/denied/i)
    .first()
    .waitFor();
  expect(read.filter((path) => path === `/console/intents/${id}`)).toHaveLength(2);
});
