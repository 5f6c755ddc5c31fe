/** The approval in a real browser: the texts next to the buttons, and what stays visible while a person decides. */
import { AxeBuilder } from '@axe-core/playwright';
import type { Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { type AtAGate, atAGate, decideAs } from './fixtures/at-a-gate.ts';
import type { OpenedPage } from './fixtures/open-browser.ts';
import type { BrowserPerson } from './fixtures/serve-gate.ts';

let { browser, served, ann, bob } = {} as AtAGate;
atAGate({}, (at) => ({ browser, served, ann, bob } = at));

const button = (page: OpenedPage, name: string | RegExp) => page.getByRole('button', { name });
const warnings = (page: OpenedPage) => page.getByRole('list', { name: 'Warnings' });
const statusOf = async (id: string) => (await served.gate.storage.read.findIntent(id))?.status;

async function openRequest(id: string, options = {}): Promise<OpenedPage> {
  const page = await browser.open(served, ann, `/approve/${id}`, options);
  await page.locator('.approve').waitFor();
  return page;
}

/** The inbox with one request open in the pane next to the list. */
async function openInPane(id: string, options = {}): Promise<OpenedPage> {
  const page = await browser.open(served, ann, '/inbox', options);
  await page.locator(`.inbox-row[data-id="${id}"]`).click();
  await page.getByRole('article').getByRole('tree').first().waitFor();
  return page;
}

async function approveAs(who: BrowserPerson, id: string): Promise<void> {
  expect(await decideAs(served, who, id, { decision: 'approve' })).toBe(200);
}

async function redeem(id: string, action: string, params: object): Promise<void> {
  const { body } = await served.call('GET', `/v1/intents/${id}`, { key: served.first.agent_key });
  const { token } = body.permit as { token: string };
  const used = await served.call('POST', '/v1/permits/validate', {
    key: served.first.agent_key,
    body: { token, action, params, consume: true },
  });
  expect(used.body.valid).toBe(true);
}

/** A request with an identical earlier one that was approved, and also used unless `used` is false. */
async function askTwin(action: string, params: object, { used = true, more = {} } = {}): Promise<string> {
  const first = await served.ask(action, params, more);
  await approveAs(bob, first);
  if (used) await redeem(first, action, params);
  return served.ask(action, params, more);
}

async function boxOf(what: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await what.boundingBox();
  if (!box) throw new Error('it is not drawn');
  return box;
}

/** Whether a person sees the middle of the element: nothing covers it, and it is not scrolled away. */
function isSeen(what: Locator): Promise<boolean> {
  return what.evaluate((element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    const top = document.elementFromPoint(x + width / 2, y + height / 2);
    return top !== null && (element.contains(top) || top.contains(element));
  });
}

const EXECUTED_TWIN =
  /^Identical to a request approved (just now|\d+ minutes? ago), which has already run\.$/;

describe('an identical request (threat 27)', () => {
  test('says beside the buttons, in amber, that its twin was approved and has already run', async () => {
    const id = await askTwin('payments.refund', { order: 'A-1', amount: 120.5 });
    for (const page of [await openRequest(id), await openRequest(id, { width: 390 })]) {
      const text = warnings(page).getByText(EXECUTED_TWIN);
      await text.waitFor();
      expect(await isSeen(text)).toBe(true);
      const apart = async () =>
        (await boxOf(button(page, /^Approve once/))).y -
        (await boxOf(warnings(page))).y -
        (await boxOf(warnings(page))).height;
      expect(await apart()).toBeGreaterThan(0);
      expect(await apart()).toBeLessThan(120);
      // "Same as before" is never green: it has the colour of any other text.
      const colours = await page.evaluate(() => {
        const colourOf = (selector: string) => {
          const element = document.querySelector(selector);
          return element && getComputedStyle(element).color;
        };
        return {
          same: colourOf('.decide-since'),
          good: colourOf('.decide-checked'),
          warning: colourOf('.decide-warnings'),
        };
      });
      expect(colours.same).not.toBe(colours.good);
      expect(colours.warning).not.toBe(colours.good);
      await page.context().close();
    }
  });

  test('says so in the inbox, which offers no approval of it', async () => {
    const id = await askTwin('payments.refund', { order: 'A-3', amount: 7 });
    const page = await openInPane(id);
    const text = warnings(page).getByText(EXECUTED_TWIN);
    await text.waitFor();
    expect(await isSeen(text)).toBe(true);
    expect(await button(page, /^Approve/).count()).toBe(0);
    await page.getByText('an identical request was approved in the last 24 hours').first().waitFor();
    await page.context().close();
  });

  test('says so while it is approved, in the form that confirms', async () => {
    const id = await askTwin('database.drop', { table: 'orders' }, { more: { risk_tier: 'high' } });
    for (const width of [1280, 390]) {
      const page = await openRequest(id, { width });
      await button(page, /^Approve once/).click();
      await button(page, 'Approve database.drop').waitFor();
      const warning = page.getByText(/^Identical to a request approved/).last();
      await expect.poll(() => isSeen(warning)).toBe(true);
      await page.context().close();
    }
  });

  test('says that its twin has not run yet; another request in between does not hide it', async () => {
    const params = { order: 'A-2', amount: 5 };
    const id = await askTwin('orders.cancel', params, { used: false });
    await approveAs(bob, await served.ask('orders.cancel', { ...params, amount: 6 }));
    const page = await openRequest(id);
    await warnings(page)
      .getByText(/which has not run yet\.$/)
      .waitFor();
    await page.getByText('Since last approval: 1 changed.').waitFor();
    await warnings(page).getByRole('link', { name: 'View that request' }).click();
    await page.getByRole('heading', { name: 'Approved' }).waitFor();
    await page.context().close();
  });

  test('is said while the page is open', async () => {
    const params = { order: 'A-3' };
    const first = await served.ask('orders.refund', params);
    const page = await openRequest(await served.ask('orders.refund', params));
    await button(page, /^Approve once/).waitFor();
    expect(await warnings(page).count()).toBe(0);
    await approveAs(bob, first);
    await page.reload();
    await warnings(page).waitFor();
    await page.context().close();
  });
});

const HIGH = { iban: 'DE02120300000000202051', amount: 95_000, payee: { name: 'Kim', since: 2019 } };

describe('the confirmation of a high risk', () => {
  test.each([1280, 390])(
    '%i px: shows again what it is about, and the button says what happens',
    async (width) => {
      const memo = { ...HIGH, memo: 'pay\u200bpal' };
      const id = await served.ask('payments.payout', memo, { risk_tier: 'critical' });
      const page = await openRequest(id, { width });
      await button(page, /^Approve once/).click();
      const form =
        width === 390 ? page.getByRole('dialog') : page.getByRole('form', { name: 'Approve this request?' });
      const text = async () => (await form.innerText()).replaceAll(/\s+/g, ' ');
      for (const what of [
        'payments.payout',
        'Critical',
        'first-agent',
        'Refunds',
        'Live',
        'DE02120300000000202051',
        '95000',
        '"Kim"',
      ])
        await expect.poll(text).toContain(what);
      await expect
        .poll(text)
        .toContain('Issues one permit: this exact action, once, within 5 minutes of your approval.');
      const says = page.getByText(/^Hidden characters in 1 value/).last();
      expect(await isSeen(says)).toBe(true);
      const approve = button(page, 'Approve payments.payout');
      await expect.poll(() => isSeen(approve)).toBe(true);
      // Pressing Enter twice must not confirm a high-risk request.
      expect(await approve.evaluate((element) => element === document.activeElement)).toBe(false);
      await page.keyboard.press('Escape');
      await approve.waitFor({ state: 'detached' });
      expect(await statusOf(id)).toBe('pending');
      await page.context().close();
    },
  );

  test('the first of two votes says that it is one of two', async () => {
    const more = { approvers: ['role:approver'], min_approvals: 2, risk_tier: 'high' };
    const id = await served.ask('payments.payout', HIGH, more);
    const page = await openRequest(id);
    await button(page, 'Approve (1 of 2)').click();
    await button(page, 'Approve payments.payout (1 of 2)').click();
    await page.getByText('You approved this. More approvals are needed before it can run.').waitFor();
    await page.context().close();
  });
});

describe('deciding in the inbox', () => {
  const PARAMS = {
    order: 'A-4711',
    amount: 12,
    currency: 'EUR',
    partial: false,
    customer: { id: 'c_8', vip: true },
  };

  test.each(['a', 'd'])('%s: the parameters stay where they are, in full, above the form', async (key) => {
    // As with most requests, an earlier one exists.
    await approveAs(bob, await served.ask('payments.credit', { ...PARAMS, amount: 1 }));
    const id = await served.ask('payments.credit', PARAMS, { metadata: { why: 'The parcel was broken.' } });
    const page = await openInPane(id);
    await page.getByText('was 1 last time (×12)').waitFor();
    const rows = page.getByRole('article').getByRole('tree', { name: 'Parameters' }).getByRole('treeitem');
    expect(await rows.count()).toBe(7);
    const boxes = async () => Promise.all((await rows.all()).map(boxOf));
    const before = await boxes();
    await page.keyboard.press(key);
    const form = page.getByRole('form');
    await form.waitFor();
    expect(await boxes()).toEqual(before);
    const top = (await boxOf(form)).y;
    for (const { y, height } of before) expect(y + height).toBeLessThanOrEqual(top);
    for (const row of await rows.all()) expect(await isSeen(row)).toBe(true);
    // The buttons of the form are within reach.
    for (const name of ['Go back', key === 'a' ? 'Approve payments.credit' : 'Deny payments.credit'])
      expect(await isSeen(button(page, name))).toBe(true);
    if (key === 'd') expect(await isSeen(page.getByLabel('In your own words'))).toBe(true);
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });
    expect(await boxes()).toEqual(before);
    expect(await statusOf(id)).toBe('pending');
    await page.context().close();
  });

  test('a request that was scrolled is brought back into sight', async () => {
    const list = Array.from({ length: 9 }, (_, n) => n);
    await approveAs(bob, await served.ask('orders.list', {}));
    const id = await served.ask('orders.list', { list });
    const page = await openInPane(id);
    const body = page.locator('.inbox-detail-body');
    await body.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
    await page.keyboard.press('a');
    await page.getByRole('form').waitFor();
    await expect.poll(() => body.evaluate((element) => element.scrollTop)).toBe(0);
    await page.context().close();
  });

  test('the form shows the comparison and the hidden characters as the page does', async () => {
    const first = await served.ask('mail.send', {
      to: 'ann@example.org',
      subject: 'Your invoice',
      memo: 'x',
    });
    await approveAs(bob, first);
    const id = await served.ask('mail.send', {
      to: 'eve@example.net',
      subject: 'Completely different words',
      memo: 'pay\u200bpal',
    });
    const texts: string[] = [];
    for (const page of [await openInPane(id), await openRequest(id)]) {
      await page.getByText('Since last approval: 3 changed.').waitFor();
      await warnings(page).getByText('Hidden characters in 1 value:').waitFor();
      texts.push(`${await page.locator('.difference').innerText()}\n${await warnings(page).innerText()}`);
      // Less than 40 % alike: two texts in turn.
      const subject = page.locator('.difference-change', { hasText: 'subject' });
      await expect
        .poll(async () => (await subject.innerText()).replaceAll(/\s+/g, ' '))
        .toMatch(/before "Your invoice" after "Completely different words"$/i);
      await page.context().close();
    }
    expect(texts[0]).toBe(texts[1]);
  });

  test('what is folded is said beside the button, until it is opened', async () => {
    const id = await served.ask('mail.send', { body: 'word '.repeat(200) });
    const page = await openInPane(id);
    await warnings(page).getByText('1 part of this request is collapsed and not shown.').waitFor();
    await page.getByRole('article').getByRole('button', { name: 'Show the rest' }).first().click();
    await warnings(page).waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Hashes' }).click();
    await warnings(page).getByText('1 part of this request is collapsed and not shown.').waitFor();
    await page.context().close();
  });
});

describe('keys on the page of a request', () => {
  test('a asks, Escape goes back, Enter goes on; d takes a reason; j leads to the next', async () => {
    const other = await served.ask('deploy.next');
    const id = await served.ask('deploy.first');
    const page = await openRequest(id);
    await button(page, /^Approve once/).waitFor();
    await page.keyboard.press('d');
    await page.getByRole('form', { name: 'Deny this request?' }).waitFor();
    await page.keyboard.press('Escape');
    await expect
      .poll(() => button(page, /^Deny/).evaluate((element) => element === document.activeElement))
      .toBe(true);
    await page.keyboard.press('a');
    const approve = button(page, 'Approve deploy.first');
    await expect.poll(() => approve.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await statusOf(id)).toBe('pending');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Approved' }).waitFor();
    await page.getByRole('link', { name: `Next: deploy.next` }).waitFor();
    await page.keyboard.press('j');
    await page.waitForURL(`**/approve/${other}`);
    await page.context().close();
  });

  test('they are turned off together with those of the inbox', async () => {
    const page = await openRequest(await served.ask('deploy'));
    await button(page, /^Approve once/).waitFor();
    await page.keyboard.press('?');
    await page.getByLabel('Enable single-key shortcuts').uncheck();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('a');
    expect(await page.getByRole('form').count()).toBe(0);
    await page.context().close();
  });
});

test('the link to the next request is above the receipt and visible at once', async () => {
  const id = await served.ask('deploy.way');
  await served.ask('deploy.after');
  for (const width of [1280, 390]) {
    await approveAs(ann, id).catch(() => undefined);
    const page = await openRequest(id, { width });
    const next = page.getByRole('link', { name: /^Next: / });
    await next.waitFor();
    expect(await isSeen(next)).toBe(true);
    const receipt = page.getByRole('heading', { name: 'Receipt' });
    expect((await boxOf(next)).y).toBeLessThan((await boxOf(receipt)).y);
    await page.context().close();
  }
});

test('a notice reads as a sentence: names and times in it stay on its line', async () => {
  const id = await served.ask('deploy.notice');
  await approveAs(ann, id);
  const page = await openRequest(id);
  const notice = page.locator('.notice', { hasText: 'Permit ready for first-agent' });
  const lines = await notice.locator('.notice-text').evaluate((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const tops = [...range.getClientRects()].map(({ bottom }) => Math.round(bottom / 8));
    return new Set(tops).size;
  });
  expect(lines).toBeLessThanOrEqual(3);
  await expect
    .poll(async () => (await notice.innerText()).replaceAll(/\s+/g, ' '))
    .toMatch(/^Not used yet Permit ready for first-agent · expires in \d:\d\d$/);
  await page.context().close();
});

test('on paper: the request and its receipt, and nothing of the app', async () => {
  const id = await served.ask('deploy.paper', { where: 'production' }, { metadata: { why: 'It is time.' } });
  await approveAs(ann, id);
  for (const width of [1280, 390]) {
    const page = await openRequest(id, { width, theme: 'dark' });
    await page.getByRole('link', { name: 'Back to inbox' }).waitFor();
    await page.emulateMedia({ media: 'print' });
    for (const what of [
      page.locator('nav'),
      page.locator('header.shell-header'),
      page.getByRole('button'),
      page.getByRole('tab'),
    ])
      await expect
        .poll(async () =>
          (await Promise.all((await what.all()).map((one) => one.isVisible()))).includes(true),
        )
        .toBe(false);
    for (const text of ['production', 'It is time.', 'Signed record of this approval.'])
      expect(await page.getByText(text).first().isVisible()).toBe(true);
    expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(true);
    // The request comes first, then the decision.
    const placeOf = async (text: string) => (await boxOf(page.getByText(text).first())).y;
    expect(await placeOf('production')).toBeLessThan(await placeOf('Signed record of this approval.'));
    const ground = await page.evaluate(
      () => getComputedStyle(document.querySelector('.card') as Element).backgroundColor,
    );
    expect(ground).toBe('rgb(255, 255, 255)');
    await page.context().close();
  }
});

test.each([
  [1280, 'light'],
  [1280, 'dark'],
  [390, 'light'],
  [390, 'dark'],
] as const)('%i px, %s: with either form open axe finds nothing', async (width, theme) => {
  const more = { risk_tier: 'high', metadata: { why: 'It is time.' } };
  const id = await askTwin('database.drop', { table: 'orders', memo: 'a\u200bb' }, { more });
  const page = await openRequest(id, { width, theme });
  for (const [opens, goesOn] of [
    [/^Approve once/, 'Approve database.drop'],
    [/^Deny/, 'Deny database.drop'],
  ] as const) {
    await button(page, opens).click();
    await button(page, goesOn).waitFor();
    const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
    expect(
      violations.map(({ id: rule, nodes }) => `${rule}: ${nodes.map(({ html }) => html).join()}`),
    ).toEqual([]);
    const small = await page
      .locator('form, dialog')
      .locator('button, input, summary, textarea')
      .evaluateAll(
        (all) =>
          all
            .map((element) => (element.closest('label') ?? element).getBoundingClientRect())
            .filter(({ width: wide, height }) => wide > 1 && (wide < 24 || height < 24)).length,
      );
    expect(small).toBe(0);
    await button(page, 'Go back').click();
    await button(page, goesOn).waitFor({ state: 'detached' });
  }
  await page.context().close();
});
