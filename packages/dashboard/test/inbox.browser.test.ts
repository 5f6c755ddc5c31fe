/** The inbox in a real browser: it follows events, and people decide with mouse and keyboard. */
import { AxeBuilder } from '@axe-core/playwright';
import { expect, test } from 'vitest';
import { putPolicy } from '../../server/src/gate/policy-management/put-policy.ts';
import { approveInPerson } from '../../server/test/fixtures/approve-in-person.ts';
import { type AtAGate, atAGate } from './fixtures/at-a-gate.ts';
import type { OpenedPage } from './fixtures/open-browser.ts';
import { type BrowserPerson, OPERATOR } from './fixtures/serve-gate.ts';

let { browser, served, ann } = {} as AtAGate;
atAGate({ everyTest: true }, (at) => ({ browser, served, ann } = at));

const statusOf = async (id: string) => (await served.gate.storage.read.findIntent(id))?.status;
const row = (page: OpenedPage, id: string) => page.locator(`.inbox-row[data-id="${id}"]`);
const selected = (page: OpenedPage) => page.locator('.inbox-row[data-selected]');
const denyElsewhere = (id: string) =>
  served.call('POST', `/v1/intents/${id}/deny`, { key: served.first.secret_key, body: {} });

async function openInbox(who: BrowserPerson, search = '', options = {}): Promise<OpenedPage> {
  const page = await browser.open(served, who, `/inbox${search}`, options);
  await page.locator('.inbox-live[data-is="live"]').waitFor();
  return page;
}

test('the first request ever comes into the empty page that shows how to send it', async () => {
  const page = await openInbox(served.owner);
  await page.getByRole('heading', { name: 'No requests yet' }).waitFor();
  const shown = page.locator('pre').last();
  await expect.poll(() => shown.innerText()).toContain(`curl ${served.url}/v1/intents`);
  const command = await shown.innerText();
  expect(await page.getByRole('link', { name: 'Register an agent' }).getAttribute('href')).toBe(
    `/projects/${served.projectId}/agents/register`,
  );
  // The command on the page works as written.
  const body: unknown = JSON.parse(String(/-d '(.*)'/.exec(command)?.[1]));
  const asked = await served.call('POST', '/v1/intents', { key: served.first.agent_key, body });
  await row(page, String(asked.body.id)).waitFor();
  await expect.poll(() => page.title()).toContain('(1) Inbox');
});

test('what arrives waits behind a bar, so that nothing moves under a finger', async () => {
  const first = await served.ask('deploy.first');
  const page = await openInbox(ann);
  await row(page, first).waitFor();
  await page.getByRole('article').waitFor();
  const before = await row(page, first).boundingBox();
  const second = await served.ask('deploy.second');
  const third = await served.ask('deploy.third');
  await page.getByRole('button', { name: '2 new' }).waitFor();
  expect(await row(page, first).boundingBox()).toEqual(before);
  expect(await row(page, third).count()).toBe(0);
  await page.getByRole('button', { name: '2 new' }).click();
  await row(page, second).waitFor();
  await expect
    .poll(() => page.locator('.inbox-action').allInnerTexts())
    .toEqual(['deploy.third', 'deploy.second', 'deploy.first']);
});

test('one triages by key: move, approve after one question, deny with a reason, search, help', async () => {
  await served.known('deploy.a', 'deploy.b', 'deploy.c');
  const [a, b, c] = [
    await served.ask('deploy.a'),
    await served.ask('deploy.b'),
    await served.ask('deploy.c'),
  ];
  const page = await openInbox(ann);
  await row(page, a).waitFor();
  await expect.poll(() => selected(page).getAttribute('data-id')).toBe(c);
  for (const [key, id] of [
    ['j', b],
    ['j', a],
    ['k', b],
  ] as const) {
    await page.keyboard.press(key);
    await expect.poll(() => selected(page).getAttribute('data-id')).toBe(id);
  }
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('deploy.b');

  await page.keyboard.press('a');
  await page.getByText('Approve this request?').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('Approve this request?').waitFor({ state: 'detached' });
  expect(await statusOf(b)).toBe('pending');
  await page.keyboard.press('a');
  await page
    .getByText('Issues one permit: this exact action, once, within 5 minutes of your approval.')
    .waitFor();
  // Only after all of it was shown.
  const approve = page.locator('.decide-form').getByRole('button', { name: 'Approve deploy.b' });
  await expect.poll(() => approve.isEnabled()).toBe(true);
  await expect.poll(() => approve.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.press('Enter');
  await row(page, b).getByText('approved by you').waitFor();
  expect(await statusOf(b)).toBe('approved');

  // The next request opens automatically.
  await page.locator(`.inbox-row[data-selected][data-id="${a}"]`).waitFor();
  await page.keyboard.press('d');
  await page.getByLabel('The parameters are wrong.').check();
  await page.keyboard.press('Enter');
  await row(page, a).getByText('denied by you').waitFor();
  expect(await served.gate.storage.read.findIntent(a)).toMatchObject({
    status: 'denied',
    reason: 'The parameters are wrong.',
  });

  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await help.waitFor();
  await page.keyboard.press('a');
  await page.keyboard.press('Escape');
  await help.waitFor({ state: 'detached' });
  await page.keyboard.press('/');
  const search = page.getByRole('searchbox');
  await expect.poll(() => search.evaluate((field) => field === document.activeElement)).toBe(true);
  // During typing, keys are letters.
  await page.keyboard.type('adxj deploy');
  await expect.poll(() => search.inputValue()).toBe('adxj deploy');
  expect(await page.getByText('Approve this request?').count()).toBe(0);
  expect(await statusOf(c)).toBe('pending');
});

test('keys can be turned off', async () => {
  await served.known('deploy');
  await served.ask('deploy');
  const page = await openInbox(ann);
  await selected(page).waitFor();
  await page.keyboard.press('?');
  await page.getByLabel('Enable single-key shortcuts').uncheck();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor({ state: 'detached' });
  await page.keyboard.press('a');
  expect(await page.getByText('Approve this request?').count()).toBe(0);
});

test('whatever is open on it, axe finds nothing', async () => {
  await served.known('deploy');
  const id = await served.ask('deploy', { where: 'production' }, { metadata: { reason: 'It is time.' } });
  await served.ask('database.drop', {}, { risk_tier: 'critical', approvers: ['owner@example.org'] });
  for (const [theme, width] of [
    ['light', 1280],
    ['dark', 390],
  ] as const) {
    const page = await openInbox(ann, '', { theme, width });
    const violations = async () =>
      (await new AxeBuilder({ page }).analyze()).violations.map(
        (one) => `${one.id}: ${one.nodes.map((node) => node.html).join()}`,
      );
    await row(page, id).getByRole('checkbox').check();
    if (width === 390) await row(page, id).getByRole('button', { name: 'Deny' }).click();
    else {
      await row(page, id).click();
      await page.getByRole('article').getByRole('button', { name: 'Deny' }).click();
    }
    await page.locator('.tree').first().waitFor();
    await page.getByLabel('In your own words').fill('Not on a Friday.');
    expect(await violations()).toEqual([]);
    await page.getByRole('button', { name: 'Go back' }).click();
    await page.getByRole('button', { name: 'Approve all' }).click();
    const approve = page.getByRole('dialog').getByRole('button', { name: 'Approve 1' });
    await approve.waitFor();
    expect(await violations()).toEqual([]);
    await approve.press('Escape');
  }
  expect(await statusOf(id)).toBe('pending');
});

test('what weighs more, or takes a passkey, is decided on its own page only', async () => {
  const high = await served.ask('database.drop', {}, { risk_tier: 'high' });
  const page = await openInbox(ann);
  await row(page, high).getByText('Open to review: high risk.').waitFor();
  expect(await row(page, high).getByRole('checkbox').isDisabled()).toBe(true);
  expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  await page.keyboard.press('x');
  expect(await page.getByText('1 request selected').count()).toBe(0);
  await page.keyboard.press('a');
  await page.waitForURL(`**/approve/${high}`);
  expect(await statusOf(high)).toBe('pending');
});

test('decided elsewhere: the row says by whom, and leaves; a question that was open is gone', async () => {
  await served.known('deploy.a', 'deploy.b');
  const [a, b] = [await served.ask('deploy.a'), await served.ask('deploy.b')];
  const page = await openInbox(ann);
  await row(page, b).waitFor();
  await expect.poll(() => selected(page).getAttribute('data-id')).toBe(b);
  await page.keyboard.press('a');
  await page.getByText('Approve this request?').waitFor();
  await denyElsewhere(b);
  await row(page, b).getByText('denied by owner@example.org').waitFor();
  await page.getByText('Approve this request?').waitFor({ state: 'detached' });
  await page.keyboard.press('j');
  await row(page, b).waitFor({ state: 'detached' });
  await expect.poll(() => selected(page).getAttribute('data-id')).toBe(a);
  await expect.poll(() => page.getByTestId('inbox-total').innerText()).toBe('1 pending');
});

test('several at once: each is restated with its explanation and its warnings, and a comment goes with all', async () => {
  await served.known('deploy.a', 'deploy.b');
  const ids = [
    await served.ask('deploy.a', { where: 'production' }, { metadata: { reason: 'It is time.' } }),
    await served.ask('deploy.b', {}, { risk_tier: 'medium' }),
  ];
  await putPolicy(served.gate, OPERATOR, {
    projectId: served.projectId,
    document: { name: 'other', default: { approvers: ['role:approver'] }, rules: [] },
  });
  let sent: { reason?: string }[] = [];
  for (const width of [1280, 390]) {
    const page = await openInbox(ann, '', { width });
    await page.getByLabel('Select all').check();
    await page.getByRole('button', { name: 'Approve all' }).click();
    const dialog = page.getByRole('dialog', { name: 'Approve 2 requests?' });
    const first = dialog.locator('.inbox-batch-list > li', { hasText: 'deploy.a' });
    for (const text of [
      'where: "production"',
      'Requester’s explanation: It is time.',
      'by first-agent in Refunds',
      'The policy changed after this was requested. The stricter of the two applies.',
    ]) {
      await expect.poll(async () => (await first.innerText()).replaceAll(/\s+/g, ' ')).toContain(text);
    }
    await dialog.locator('.inbox-batch-list > li', { hasText: 'deploy.b' }).getByText('Medium').waitFor();
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join()}`)).toEqual([]);
    if (width === 390) {
      await dialog.getByText('Add a comment').click();
      await dialog.getByLabel('Comment').fill('Both of them.');
      const request = page.waitForRequest((one) => one.postData()?.includes('decisions') === true);
      await dialog.getByRole('button', { name: 'Approve 2 requests' }).click();
      sent = ((await request).postDataJSON() as { decisions: typeof sent }).decisions;
      await dialog.waitFor({ state: 'detached' });
    } else await dialog.getByRole('button', { name: 'Go back' }).click();
  }
  for (const id of ids) await expect.poll(() => statusOf(id)).toBe('approved');
  expect(sent.map(({ reason }) => reason)).toEqual(['Both of them.', 'Both of them.']);
});

test('several at once, each by itself; one that was decided meanwhile is said', async () => {
  await served.known('deploy.a', 'deploy.b', 'deploy.c');
  const ids = [await served.ask('deploy.a'), await served.ask('deploy.b'), await served.ask('deploy.c')];
  const high = await served.ask('database.drop', {}, { risk_tier: 'critical' });
  const page = await openInbox(ann);
  await row(page, high).waitFor();
  await page.getByLabel('Select all').check();
  await page.getByText('3 requests').waitFor();
  await page.getByRole('button', { name: 'Approve all' }).click();
  const dialog = page.getByRole('dialog', { name: 'Approve 3 requests' });
  await expect.poll(() => dialog.getByRole('listitem').count()).toBe(3);
  await dialog.getByRole('button', { name: 'Approve 3' }).click();
  for (const id of ids) await row(page, id).getByText('approved by you').waitFor();
  expect(await Promise.all([...ids, high].map(statusOf))).toEqual([
    'approved',
    'approved',
    'approved',
    'pending',
  ]);
});

test('offline it says so and decides nothing; back again it reads what it missed', async () => {
  await served.known('deploy.a');
  const a = await served.ask('deploy.a');
  const page = await openInbox(ann, '', { expected: /ERR_INTERNET_DISCONNECTED/ });
  await row(page, a).waitFor();
  await selected(page).waitFor();
  // The whole page is loaded: a part that loads on approach would no longer arrive.
  await page.locator('.decide-last').waitFor();
  await page.context().setOffline(true);
  await page.locator('.inbox-live', { hasText: 'Offline' }).waitFor();
  await page.keyboard.press('a');
  await page.getByText('You can’t decide while you are offline.').first().waitFor();
  expect(await page.getByText('Approve this request?').count()).toBe(0);
  const b = await served.ask('deploy.b');
  await denyElsewhere(a);
  await page.context().setOffline(false);
  await page.locator('.inbox-live[data-is="live"]').waitFor();
  await row(page, a).getByText('denied by owner@example.org').waitFor();
  await page.getByRole('button', { name: '1 new' }).click();
  await row(page, b).waitFor();
});

test('names made of HTML, and text that turns around, are text', async () => {
  const evil = '<img src=x onerror="document.title=1"><b>bold</b>';
  await served.call('POST', '/v1/intents', {
    body: {
      action: 'mail.send',
      source: evil,
      params: { file: 'invoice\u202egpj.exe', [evil]: evil },
      metadata: { reason: `${evil} \u200bpay\u2066` },
    },
  });
  const page = await openInbox(ann);
  await selected(page).waitFor();
  await page.locator('.tree').first().waitFor();
  const inbox = page.locator('.inbox');
  await expect.poll(() => inbox.innerText()).toContain(evil);
  await expect.poll(() => inbox.innerText()).toContain('U+202E');
  const seen = await inbox.innerText();
  expect(seen).not.toMatch(/[\u202e\u200b\u2066]/);
  expect(await page.locator('.inbox :is(img, b:text("bold"))').count()).toBe(0);
});

test('filters are in the URL, and narrow the list', async () => {
  await served.ask('deploy.web');
  const mail = await served.ask('mail.send', {}, { approvers: ['owner@example.org'] });
  const page = await openInbox(ann);
  await row(page, mail).waitFor();
  await page.getByText('For my review').click();
  await row(page, mail).waitFor({ state: 'detached' });
  await expect.poll(() => new URL(page.url()).searchParams.get('can_decide')).toBe('true');
  await page.getByLabel('Action, or its beginning followed by *').fill('mail.*');
  await page.getByText('No matching requests').waitFor();
  await page.reload();
  await page.getByText('No matching requests').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await row(page, mail).getByText('You’re not an approver for this request.').waitFor();
  await row(page, mail).getByText('owner@example.org').waitFor();
});

test('a viewer sees it all and is offered nothing', async () => {
  const vera = await served.addPerson('vera@example.org', 'viewer');
  await served.ask('deploy');
  const page = await openInbox(vera);
  await page.getByText('You are a viewer in this project.').first().waitFor();
  expect(await page.getByRole('button', { name: /Approve|Deny/ }).count()).toBe(0);
});

test('a long list keeps the page small, to its very end', async () => {
  const ids = await Promise.all(Array.from({ length: 400 }, (_, n) => served.ask(`deploy.n${n}`, { n })));
  const page = await openInbox(ann);
  await page.getByText('400 pending').waitFor();
  await page.locator('.inbox-row').first().waitFor();
  await page.locator('.tree').first().waitFor();
  const nodes = () => page.locator('*').count();
  const early = await nodes();
  const last = ids.toSorted()[0];
  const column = page.locator('.inbox-column');
  await expect
    .poll(async () => {
      await column.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      return row(page, String(last)).count();
    })
    .toBe(1);
  await expect.poll(nodes).toBeLessThan(early + 2500);
  await expect.poll(() => page.locator('.inbox-row').count()).toBeLessThan(120);
});

test('what a row cuts, marks or shows for the first time is reviewed on its page, and the row says why', async () => {
  await served.known('mail.send');
  const cut = await served.ask('mail.send', { body: `${'x'.repeat(300)}the end` });
  const marked = await served.ask('mail.send', { to: 'bob\u200b@example.org' });
  const first = await served.ask('mail.forward', { to: 'bob@example.org' });
  const plain = await served.ask('mail.send', { to: 'bob@example.org' });
  for (const width of [1280, 390]) {
    const page = await openInbox(ann, '', { width });
    await row(page, cut).getByText('too long for the list').waitFor();
    await row(page, marked).getByText('it contains marked characters').waitFor();
    await row(page, first).getByText('hasn’t been approved in this project before').waitFor();
    await page.getByLabel('Select all').check();
    const isChecked = (id: string) => row(page, id).getByRole('checkbox').isChecked();
    await expect.poll(() => isChecked(plain)).toBe(true);
    for (const id of [cut, marked, first]) expect(await isChecked(id)).toBe(false);
    if (width === 390) {
      expect(await row(page, cut).getByRole('button', { name: 'Approve' }).count()).toBe(0);
      await row(page, cut).getByRole('link', { name: 'Review' }).click();
    } else {
      await row(page, cut).click();
      const detail = page.getByRole('article');
      await detail.getByRole('link', { name: 'Review' }).waitFor();
      expect(await detail.getByRole('button', { name: 'Approve' }).count()).toBe(0);
      await page.keyboard.press('a');
      await expect.poll(() => isChecked(plain)).toBe(true);
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await page.goto(`${served.url}/approve/${cut}`);
    }
    await page.waitForURL(`**/approve/${cut}`);
    await page
      .getByRole('button', { name: /^Approve/ })
      .first()
      .waitFor();
  }
});

test('on a phone one decides in a sheet that shows the whole of it', async () => {
  await served.known('mail.send');
  const params = { body: `${'x'.repeat(100)}the end` };
  const id = await served.ask('mail.send', params, { metadata: { why: 'The month is over.' } });
  const page = await openInbox(ann, '', { width: 390 });
  await row(page, id).getByRole('button', { name: 'Approve' }).click();
  const sheet = page.getByRole('dialog', { name: 'Approve this request' });
  await sheet.getByText('the end').waitFor();
  const explanation = sheet.getByRole('region', { name: 'Requester’s explanation (unverified)' });
  await explanation.getByText('The month is over.').waitFor();
  await sheet.getByRole('button', { name: 'Approve' }).click();
  await row(page, id).getByText('approved by you').waitFor();
  expect(await statusOf(id)).toBe('approved');
});

test('on a wide screen a click on the name of an action selects the request, and Enter opens it', async () => {
  const [a, b] = [await served.ask('deploy.a'), await served.ask('deploy.b')];
  const page = await openInbox(ann);
  await expect.poll(() => selected(page).getAttribute('data-id')).toBe(b);
  await row(page, a).getByRole('link', { name: 'deploy.a' }).click();
  await expect.poll(() => selected(page).getAttribute('data-id')).toBe(a);
  await page.getByRole('article').getByText('deploy.a').first().waitFor();
  expect(new URL(page.url()).pathname).toBe('/inbox');
  await row(page, a).getByRole('link', { name: 'deploy.a' }).press('Enter');
  await page.waitForURL(`**/approve/${a}`);
});

test('two tabs share one stream, and the second takes over when the first is closed', async () => {
  const page = await openInbox(ann);
  const other = await page.context().newPage();
  const streams: string[] = [];
  other.on('request', (request) => {
    if (request.url().endsWith('/console/stream')) streams.push(request.url());
  });
  await other.goto(`${served.url}/inbox`);
  await other.locator('.inbox-live[data-is="live"]').waitFor();
  const a = await served.ask('deploy.a');
  await other.locator(`.inbox-row[data-id="${a}"]`).waitFor();
  expect(streams).toEqual([]);
  await page.close();
  const b = await served.ask('deploy.b');
  await other.getByRole('button', { name: '1 new' }).click();
  await other.locator(`.inbox-row[data-id="${b}"]`).waitFor();
  await expect.poll(() => streams).toHaveLength(1);
});

test('the history has what is over, by outcome and decider, and links to it', async () => {
  const [a, b] = [await served.ask('deploy.a'), await served.ask('mail.b')];
  await approveInPerson(served.gate, served.owner.userId, a);
  await denyElsewhere(b);
  const page = await browser.open(served, ann, '/history');
  await page.getByRole('link', { name: 'mail.b' }).waitFor();
  await expect.poll(() => page.getByRole('row').count()).toBe(3);
  await page.getByLabel('Outcome').selectOption('denied');
  await page.getByRole('link', { name: 'deploy.a' }).waitFor({ state: 'detached' });
  await page.getByLabel('Decided by').fill('nobody');
  await page.getByText('No matching requests').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByRole('link', { name: 'deploy.a' }).click();
  await page.waitForURL(`**/approve/${a}`);
});
