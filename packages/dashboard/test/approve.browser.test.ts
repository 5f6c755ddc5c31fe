/** The page on which people decide, in a real browser with a real gate. */
import { readFileSync } from 'node:fs';
import { canonicalJson, hashJson, intentHash, type JsonObject } from '@permitry/protocol';
import { describe, expect, test } from 'vitest';
import { putPolicy } from '../../server/src/gate/policy-management/put-policy.ts';
import { createKey } from '../../server/src/people/keys/create-key.ts';
import { removeMember } from '../../server/src/people/members/remove-member.ts';
import type { ShownIntent } from '../src/decide/check-hashes.ts';
import { addAuthenticator } from './fixtures/add-authenticator.ts';
import { type AtAGate, atAGate, decideAs } from './fixtures/at-a-gate.ts';
import type { OpenedPage, PageOptions } from './fixtures/open-browser.ts';
import { OPERATOR, serveGate } from './fixtures/serve-gate.ts';

let { browser, served, ann, bob } = {} as AtAGate;
atAGate({}, async (at) => {
  ({ browser, served, ann, bob } = at);
  usual = await browser.open(served, ann, '/inbox', { expected: /ERR_INTERNET_DISCONNECTED|ERR_FAILED/ });
});

const REFUND = { amount: 120.5, order: 'A-1', note: null, tags: [], by: { name: 'Ann', vip: true } };

/** Ann's own page, reused by the tests, so that its code is loaded only once. */
let usual: OpenedPage;

async function open(id: string, who = ann, options: PageOptions = {}): Promise<OpenedPage> {
  const path = `/approve/${id}`;
  const isUsual = who === ann && Object.keys(options).length === 0;
  const page = isUsual ? usual : await browser.open(served, who, path, options);
  if (isUsual) await page.goto(`${served.url}${path}`);
  await page.locator('.approve').waitFor();
  return page;
}

async function done(page: OpenedPage): Promise<void> {
  // The page may be sending another request, and close before the answer.
  if (page === usual) await page.unrouteAll({ behavior: 'ignoreErrors' });
  else await page.context().close();
}

const find = async (id: string) => {
  const intent = await served.gate.storage.read.findIntent(id);
  if (!intent) throw new Error('gone');
  return intent;
};
const button = (page: OpenedPage, name: string | RegExp) => page.getByRole('button', { name });
/** Buttons whose text is cut off, or that do not fit on the page. */
const cutLabels = (page: OpenedPage) =>
  page.locator('.approve .button, dialog[open] .button').evaluateAll((all) =>
    all
      .filter((one) => {
        const { left, right } = one.getBoundingClientRect();
        return one.scrollWidth > one.clientWidth || left < 0 || right > window.innerWidth;
      })
      .map((one) => one.textContent),
  );
const panel = (page: OpenedPage) => page.getByRole('complementary', { name: 'Decision' });

describe('what it shows', () => {
  test('action and risk, who asks, every parameter with its kind, and that it is what was hashed', async () => {
    const id = await served.ask('payments.refund', REFUND, {
      risk_tier: 'medium',
      metadata: { why: 'broken' },
    });
    const page = await open(id);
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('payments.refund');
    const tree = page.getByRole('tree', { name: 'Parameters' });
    const rows = async () =>
      (await tree.getByRole('treeitem').allInnerTexts()).map((row) =>
        row.replace('▾', '').replace(/\s+/g, ' ').trim(),
      );
    await expect
      .poll(rows)
      .toEqual([
        'amount 120.5 number',
        'note null null',
        'order "A-1" string',
        'tags [ ] empty array',
        'by object (2)',
        'name "Ann" string',
        'vip true boolean',
      ]);
    await page.getByText('Hashes verified in your browser').waitFor();
    const words = page.getByRole('region', { name: 'Requester’s explanation (unverified)' });
    expect(await words.innerText()).toMatch(/Nobody has verified it[\s\S]*"broken"/);
    await page.getByRole('tab', { name: 'Canonical JSON' }).click();
    const exact = page.getByRole('region', { name: 'Canonical JSON of the parameters' });
    await expect.poll(() => exact.innerText()).toBe(canonicalJson(REFUND));
    await page.getByRole('tab', { name: 'Hashes' }).click();
    const hashes = async () => (await page.getByRole('tabpanel').innerText()).replace(/\s+/g, '');
    await expect.poll(hashes).toContain((await find(id)).paramsHash);
    await expect.poll(hashes).toContain((await find(id)).intentHash);
    await done(page);
  });

  test('the tree is walked by keyboard', async () => {
    const page = await open(await served.ask('payments.refund', REFUND));
    const focused = () =>
      page.evaluate(() => document.activeElement?.textContent?.replace(/\s+/g, ' ') ?? '');
    await page.getByRole('treeitem').first().focus();
    for (const name of ['note', 'order', 'tags', 'by']) {
      await page.keyboard.press('ArrowDown');
      await expect.poll(focused).toContain(name);
    }
    await page.keyboard.press('ArrowRight');
    await expect.poll(focused).toContain('"Ann"');
    await page.keyboard.press('ArrowLeft');
    const group = page.getByRole('treeitem', { name: /by/ }).first();
    await expect.poll(() => group.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => group.getAttribute('aria-expanded')).toBe('false');
    await expect.poll(() => page.getByText('"Ann"').count()).toBe(0);
    await page.keyboard.press('Home');
    await expect.poll(focused).toContain('amount');
    await page.keyboard.press('End');
    await expect.poll(focused).toContain('by');
    await done(page);
  });

  test('what changed since people last approved this action, or that nothing did', async () => {
    const first = await served.ask('orders.cancel', { order: 'A-1', amount: 10, gone: true });
    expect(await decideAs(served, bob, first, { decision: 'approve' })).toBe(200);
    const same = await open(await served.ask('orders.cancel', { order: 'A-1', amount: 10, gone: true }));
    await same.getByText('Same parameters as last time.').waitFor();
    const page = await open(await served.ask('orders.cancel', { order: 'A-2', amount: 100, fresh: 1 }));
    await page.getByText('Since last approval: 2 changed, 1 new, 1 removed.').waitFor();
    await page.getByText('was 10 last time (×10)').waitFor();
    const list = async () => (await page.locator('.difference').innerText()).replace(/\s+/g, ' ');
    await expect
      .poll(list)
      .toMatch(/changed amount 10 → 100 ?\+90, ×10 new fresh 1 removed gone true changed order A-12$/i);
    await done(same);
    await done(page);
  });

  test('on a phone: what will happen and both buttons, at once and without scrolling', async () => {
    const id = await served.ask('payments.refund', REFUND, { metadata: { why: 'x '.repeat(2000) } });
    const page = await open(id, ann, { width: 390 });
    for (const what of [
      page.getByRole('heading', { level: 1 }),
      page.getByText('Issues one permit: this exact action, once, within 5 minutes of your approval.'),
      button(page, 'Approve once'),
      button(page, 'Deny'),
      page.getByText('120.5'),
    ]) {
      await what.waitFor();
      const bottom = async () => {
        const box = await what.boundingBox();
        return box ? box.y + box.height : Number.POSITIVE_INFINITY;
      };
      await expect.poll(bottom).toBeLessThanOrEqual(844);
    }
    const apart = async () => {
      const deny = await button(page, 'Deny').boundingBox();
      const approve = await button(page, 'Approve once').boundingBox();
      return (approve?.x ?? 0) - ((deny?.x ?? 0) + (deny?.width ?? 0));
    };
    await expect.poll(apart).toBeGreaterThanOrEqual(24);
    await done(page);
  });
});

describe('what an agent writes', () => {
  const hostile = {
    '<img src=x onerror=document.title="owned">': '<script>document.title="owned"</script><b>bold</b>',
    link: '[pay](javascript:alert(1)) https://bank.example@evil.example/x',
    user: 'gnp.exe\u202egpj',
    zero: 'pay\u200bpal',
    mixed: 'pаypal',
    zalgo: `Z${'\u0300'.repeat(60)}`,
    html: '</span></div><h1>Approved</h1><style>*{display:none}</style>',
  };

  test('is text and nothing but text, with everything one cannot see made visible', async () => {
    const id = await served.ask('iam.grant_role', hostile, { metadata: hostile });
    const page = await open(id);
    const text = await page.getByRole('tree', { name: 'Parameters' }).innerText();
    for (const shown of [
      '<img src=x onerror=document.title="owned">',
      '<script>document.title="owned"</script><b>bold</b>',
      '⟨U+202E RLO⟩',
      '⟨U+200B ZWSP⟩',
      '⟨60 combining marks⟩',
      'mixes Latin and Cyrillic letters; reads like “paypal”',
      '</span></div><h1>Approved</h1>',
      'evil.example',
      'the part before @ is not the host',
    ]) {
      expect(text).toContain(shown);
    }
    expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b-\u200f]/);
    const made = await page.locator('.approve-main').evaluate((main) => ({
      foreign: main.querySelectorAll('img, script, style, iframe, form, object, embed').length,
      bold: [...main.querySelectorAll('b')].filter((b) => b.textContent === 'bold').length,
      links: [...main.querySelectorAll('a')].map((a) => a.getAttribute('href')),
    }));
    expect(made).toEqual({ foreign: 0, bold: 0, links: [] });
    expect(await page.locator('h1').count()).toBe(1);
    await expect.poll(() => page.title()).toBe('Decide: iam.grant_role · Permitry');
    await done(page);
  });

  test('names of keys and sources are inert as well', async () => {
    const name = '<b>bot</b> שלום';
    const { key } = await createKey(served.gate, OPERATOR, {
      projectId: served.projectId,
      kind: 'secret',
      name,
      ownerEmail: 'owner@example.org',
    });
    const { body } = await served.call('POST', '/v1/intents', {
      key,
      body: { action: 'mail.send', source: '\u202eecruos<u>' },
    });
    const page = await open(String(body.id));
    const head = page.locator('.page-head');
    expect(await head.innerText()).toContain('<b>bot</b> שלום');
    expect(await head.locator('bdi[dir="rtl"]').innerText()).toBe('שלום');
    await page.getByText('⟨U+202E RLO⟩ecruos<u>').waitFor();
    expect(await page.locator('.approve-main :is(i:not([aria-hidden]), u)').count()).toBe(0);
    await done(page);
  });

  test('200 kB in one value: folded with its size, opened in steps, and the buttons work all the while', async () => {
    const long = 'lorem ipsum '.repeat(17_000);
    const id = await served.ask('mail.send', { body: long, to: 'ann@example.org' });
    const page = await open(id);
    await page.getByText('204,000 characters, 199 kB in total').waitFor();
    const shown = () => page.getByRole('treeitem', { name: /body/ }).locator('bdi').last().innerText();
    const before = (await shown()).length;
    await button(page, 'Show the next 20,000').click();
    await expect.poll(async () => (await shown()).length - before).toBeGreaterThan(19_000);
    await page.getByText('183,600 more characters not shown').waitFor();
    await page.getByRole('tab', { name: 'Canonical JSON' }).click();
    await page.getByText(/characters not shown \(204,0\d\d characters/).waitFor();
    await button(page, 'Approve once').click();
    await page.getByRole('heading', { name: 'Approved' }).waitFor();
    await done(page);
  });

  test('on a phone nothing sticks out, however deep or long it is', async () => {
    let deep: unknown = 'x'.repeat(500);
    for (let level = 0; level < 40; level += 1) deep = level % 2 === 0 ? [deep] : { ['n'.repeat(120)]: deep };
    const id = await served.ask('mail.send', {
      deep,
      [`${'name'.repeat(200)}`]: '⟨'.repeat(300),
      ...hostile,
    });
    const page = await open(id, ann, { width: 390 });
    await button(page, 'Approve once').waitFor();
    const overhang = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    await expect.poll(overhang).toBeLessThanOrEqual(0);
    await page.getByRole('tab', { name: 'Canonical JSON' }).click();
    await page.getByRole('region', { name: 'Canonical JSON of the parameters' }).waitFor();
    await expect.poll(overhang).toBeLessThanOrEqual(0);
    const hashes = page.getByRole('tab', { name: 'Hashes' });
    await hashes.click();
    await expect.poll(() => hashes.getAttribute('aria-selected')).toBe('true');
    await expect.poll(overhang).toBeLessThanOrEqual(0);
    await done(page);
  });

  test('the longest name of an action fits into the button that says it', async () => {
    const action = `payments.${'a'.repeat(119)}`;
    const page = await open(await served.ask(action, {}, { risk_tier: 'critical' }), ann, { width: 390 });
    await button(page, 'Approve once').click();
    await button(page, `Approve ${action}`).waitFor();
    await expect.poll(() => cutLabels(page)).toEqual([]);
    await done(page);
  });

  test('no parameters at all are said to be none', async () => {
    const page = await open(await served.ask('cache.clear'));
    await page.getByText('No parameters').waitFor();
    await done(page);
  });
});

describe('deciding', () => {
  test('opening, reloading and following the link decide nothing', async () => {
    const id = await served.ask('payments.refund', REFUND);
    const page = await browser.open(served, ann, '/inbox');
    const methods = new Set<string>();
    page.on('request', (request) => methods.add(request.method()));
    for (const query of ['', '?decision=approve', '?approve=1#approve']) {
      await page.goto(`${served.url}/approve/${id}${query}`);
      await button(page, 'Approve once').waitFor();
      await page.reload();
    }
    expect([...methods]).toEqual(['GET']);
    expect(await find(id)).toMatchObject({ status: 'pending', revision: 0 });
    await done(page);
  });

  test('the receipt is saved as a file, with the line that checks it', async () => {
    const id = await served.ask('payments.refund', REFUND);
    await decideAs(served, ann, id, { decision: 'approve' });
    const page = await open(id);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      button(page, 'Download receipt').click(),
    ]);
    const saved = JSON.parse(readFileSync(await download.path(), 'utf8')) as JsonObject;
    expect(saved).toMatchObject({
      receipt_v2: { intent_id: id, approved_by: 'ann@example.org', receipt_version: 2 },
      hashed: { intent: id },
      canonical_params: expect.any(String),
    });
    await page
      .getByText(`permitry receipt verify receipt-${id}.json --approvers approver-keys.json`)
      .waitFor();
    await done(page);
  });

  test('deny, with a reason the requester reads', async () => {
    const id = await served.ask('payments.refund', REFUND);
    const page = await open(id);
    await button(page, 'Deny').click();
    await page.getByLabel('The parameters are wrong.').check();
    await page.getByLabel('In your own words').fill('It was 12.05.');
    await button(page, /^Deny \S+$/).click();
    await page.getByRole('heading', { name: 'Denied' }).waitFor();
    const { body } = await served.call('GET', `/v1/intents/${id}`, { key: served.first.agent_key });
    expect(body).toMatchObject({
      status: 'denied',
      reason: 'The parameters are wrong. It was 12.05.',
      resolved_by: 'ann@example.org',
    });
    await done(page);
  });

  test.each([
    ['high', 'High'],
    ['critical', 'Critical'],
  ])('%s risk is asked for once more, by name; going back decides nothing', async (risk, badge) => {
    const id = await served.ask('database.drop', { table: 'orders' }, { risk_tier: risk });
    const page = await open(id);
    await button(page, 'Approve once').click();
    const form = page.getByRole('form', { name: 'Approve this request?' });
    await expect
      .poll(() => form.innerText())
      .toMatch(new RegExp(`database\\.drop\\s+${badge}[\\s\\S]*orders`));
    await button(page, 'Go back').click();
    await form.waitFor({ state: 'detached' });
    expect((await find(id)).status).toBe('pending');
    await button(page, 'Approve once').click();
    await button(page, 'Approve database.drop').click();
    await page.getByRole('heading', { name: 'Approved' }).waitFor();
    await done(page);
  });

  test('an approval becomes a denial while others are still to follow', async () => {
    const id = await served.ask('payments.payout', REFUND, {
      approvers: ['role:approver'],
      min_approvals: 2,
    });
    const page = await open(id);
    await page.getByText('This is approval 1 of 2. 1 more is needed before the action can run.').waitFor();
    await button(page, 'Approve (1 of 2)').click();
    await page.getByText('You approved this. More approvals are needed before it can run.').waitFor();
    await expect.poll(() => panel(page).innerText()).toContain('bob@example.org');
    await button(page, 'Deny instead').click();
    await button(page, /^Deny \S+$/).click();
    await page.getByRole('heading', { name: 'Denied' }).waitFor();
    expect(await find(id)).toMatchObject({ status: 'denied', resolvedBy: 'ann@example.org' });
    await done(page);
  });

  test('whoever may not decide reads why, and who may', async () => {
    const viewer = await served.addPerson('vic@example.org', 'viewer');
    const page = await open(await served.ask('payments.refund', REFUND), viewer);
    await page.getByText('You are a viewer in this project.').waitFor();
    await expect.poll(() => panel(page).innerText()).toContain('ann@example.org');
    expect(await button(page, /Approve|Deny/).count()).toBe(0);
    const outside = await open(
      await served.ask('payments.refund', REFUND, { approvers: ['bob@example.org'] }),
    );
    await outside.getByText('You’re not an approver for this request.').waitFor();
    await expect.poll(() => panel(outside).innerText()).toContain('bob@example.org');
    await done(page);
    await done(outside);
  });

  test('by keyboard alone', async () => {
    const id = await served.ask('payments.refund', REFUND);
    const page = await open(id);
    await button(page, 'Approve once').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Approved' }).waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Approved');
    await done(page);
  });
});

describe('what happens while it is open', () => {
  test.each([
    ['approved', { decision: 'approve' }, 'bob@example.org approved this while you had it open.'],
    [
      'denied',
      { decision: 'deny', reason: 'No <b>way</b>' },
      'bob@example.org denied this while you had it open. “No <b>way</b>”',
    ],
  ])('%s by somebody else: said, by whom, and nothing is left to press', async (_status, body, text) => {
    const id = await served.ask('payments.refund', REFUND);
    const page = await open(id);
    await button(page, 'Approve once').waitFor();
    expect(await decideAs(served, bob, id, body)).toBe(200);
    await page
      .getByText(text, { exact: true })
      .or(page.getByText(text.slice(0, 40)))
      .first()
      .waitFor();
    await expect.poll(async () => (await page.getByRole('status').allInnerTexts()).join(' ')).toContain(text);
    await button(page, /^(Approve|Deny)/)
      .first()
      .waitFor({ state: 'detached' });
    await done(page);
  });

  test('also without the live stream', async () => {
    const id = await served.ask('payments.refund', REFUND);
    await usual.route('**/console/stream', (route) => route.abort());
    const page = await open(id);
    await button(page, 'Approve once').waitFor();
    await decideAs(served, bob, id, { decision: 'deny' });
    await page.getByText('bob@example.org denied this while you had it open.').waitFor();
    await done(page);
  });

  test('the vote of another, with what is still missing', async () => {
    const id = await served.ask('payments.payout', REFUND, {
      approvers: ['role:approver'],
      min_approvals: 3,
    });
    const page = await open(id);
    await button(page, 'Approve (1 of 3)').waitFor();
    await decideAs(served, bob, id, { decision: 'approve' });
    await page.getByText('bob@example.org approved this while you had it open: 1 of 3 approvals.').waitFor();
    await page.getByText('This is approval 2 of 3. 1 more is needed before the action can run.').waitFor();
    await done(page);
  });

  test('two windows of one person: one decides, the other says so', async () => {
    const id = await served.ask('payments.refund', REFUND);
    const first = await open(id);
    const second = await first.context().newPage();
    await second.goto(`${served.url}/approve/${id}`);
    await second.getByRole('button', { name: 'Approve once' }).waitFor();
    await button(first, 'Approve once').click();
    await first.getByRole('heading', { name: 'Approved' }).waitFor();
    await second.getByText('You approved this in another window.').waitFor();
    expect(await first.getByText('in another window').count()).toBe(0);
    await second.close();
  });

  test('the last word of two at once is the gate’s: whoever is late reads what stands', async () => {
    const id = await served.ask('payments.refund', REFUND);
    const page = await open(id);
    await button(page, 'Approve once').waitFor();
    await page.route('**/api/intents/**', async (route) => {
      await decideAs(served, bob, id, { decision: 'deny' });
      await route.continue();
    });
    await button(page, 'Approve once').click();
    await page.getByRole('heading', { name: 'Denied' }).waitFor();
    await expect.poll(() => panel(page).innerText()).toContain('bob@example.org');
    expect((await find(id)).status).toBe('denied');
    await done(page);
  });

  test('its time runs out: said, and nothing is left to press', async () => {
    // Long enough for the page to load first, on any machine.
    const id = await served.ask('payments.refund', REFUND, { expires_in: 12 });
    const page = await open(id);
    await button(page, 'Approve once').waitFor();
    await page.getByText('This request expired while you had it open.').waitFor();
    await expect.poll(() => button(page, /^(Approve|Deny)/).count()).toBe(0);
    await page.getByRole('heading', { name: 'Expired' }).waitFor();
    await done(page);
  });

  test('the requester withdraws it', async () => {
    const id = await served.ask('payments.refund', REFUND);
    const page = await open(id);
    await button(page, 'Approve once').waitFor();
    await served.call('POST', `/v1/intents/${id}/withdraw`, { key: served.first.agent_key, body: {} });
    await page.getByText('The requester withdrew this while you had it open.').waitFor();
    await done(page);
  });

  test('the network goes and comes back: nothing can be pressed meanwhile', async () => {
    const id = await served.ask('payments.refund', REFUND);
    const page = await open(id);
    await button(page, 'Approve once').waitFor();
    await page.context().setOffline(true);
    await page.getByText('The gate cannot be reached').waitFor();
    await expect.poll(() => button(page, 'Approve once').isDisabled()).toBe(true);
    await expect.poll(() => button(page, 'Deny').isDisabled()).toBe(true);
    await page.context().setOffline(false);
    await page.getByText('The gate cannot be reached').waitFor({ state: 'detached' });
    await button(page, 'Approve once').click();
    await page.getByRole('heading', { name: 'Approved' }).waitFor();
    await done(page);
  });

  test('somebody is removed from the project: the page shows nothing of it any more', async () => {
    const gone = await served.addPerson('gone@example.org', 'approver');
    const id = await served.ask('payments.refund', REFUND);
    const page = await open(id, gone);
    await button(page, 'Approve once').waitFor();
    await removeMember(served.gate, OPERATOR, { projectId: served.projectId, userId: gone.userId });
    await page.getByText('You no longer have access to this request').waitFor();
    await expect.poll(() => page.getByText('120.5').count()).toBe(0);
    await done(page);
  });
});

describe('an answer that was changed on its way', () => {
  async function tamper(id: string, change: (intent: ShownIntent) => ShownIntent): Promise<OpenedPage> {
    await usual.route(`**/console/intents/${id}`, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: change((await response.json()) as ShownIntent) });
    });
    return open(id);
  }

  test.each<[string, (intent: ShownIntent) => ShownIntent]>([
    ['parameters', (intent) => ({ ...intent, canonical_params: '{"amount":1}' })],
    [
      'parameters and their hash',
      (intent) => ({ ...intent, canonical_params: '{}', params_hash: hashJson({}) }),
    ],
    ['action', (intent) => ({ ...intent, hashed: { ...intent.hashed, action: 'mail.send' } })],
    ['risk', (intent) => ({ ...intent, hashed: { ...intent.hashed, risk_tier: 'low' } })],
  ])('%s: approval is not offered, and the page says why', async (_what, change) => {
    const id = await served.ask('payments.refund', REFUND, { risk_tier: 'high' });
    const page = await tamper(id, change);
    await page.getByText('Do not approve this request: it does not match its hash').waitFor();
    await expect.poll(() => button(page, 'Deny').count()).toBe(1);
    expect(await button(page, /Approve/).count()).toBe(0);
    await done(page);
  });

  test('with every hash made to fit: the gate refuses, for the page names what it showed', async () => {
    const id = await served.ask('payments.refund', REFUND);
    const page = await tamper(id, (intent) => {
      const params = { ...REFUND, amount: 1 };
      const whole = intentHash({ ...intent.hashed, params });
      return {
        ...intent,
        canonical_params: canonicalJson(params),
        params_hash: hashJson(params),
        intent_hash: whole,
      };
    });
    await button(page, 'Approve once').click();
    await page
      .getByText('This request no longer matches what you reviewed. Your decision was not recorded.')
      .waitFor();
    expect(await find(id)).toMatchObject({ status: 'pending', revision: 0 });
    await done(page);
  });
});

describe('more time, and asking again', () => {
  test('an approver asks for more time; the requester reads it', async () => {
    const id = await served.ask('payments.refund', REFUND);
    const page = await open(id);
    await button(page, 'Ask for more time').click();
    await page.getByLabel('Message to the requester').fill('On a train until noon.');
    await page.getByRole('button', { name: 'Send message' }).click();
    await page.getByText('“On a train until noon.”').waitFor();
    await expect.poll(() => button(page, 'Ask for more time').count()).toBe(0);
    const { body } = await served.call('GET', `/v1/intents/${id}`, { key: served.first.agent_key });
    expect(body.extension_requested).toMatchObject({
      by: 'ann@example.org',
      comment: 'On a train until noon.',
    });
    await done(page);
  });

  test('an expired one is resubmitted with one press, and the person who pressed does not approve it', async () => {
    const id = await served.ask('payments.refund', REFUND, { expires_in: 1 });
    await expect
      .poll(
        async () =>
          (await served.call('GET', `/v1/intents/${id}`, { key: served.first.agent_key })).body.status,
      )
      .toBe('expired');
    const page = await open(id, served.owner);
    await page.getByLabel('Time to decide').selectOption('4 hours');
    await button(page, 'Resubmit').click();
    await page.getByText(/^In live mode, another person must approve this: you resubmitted it/).waitFor();
    await page.waitForURL((url) => !url.pathname.endsWith(id));
    const again = page.url().split('/').at(-1) ?? '';
    expect(await find(again)).toMatchObject({
      askedAgainFrom: id,
      status: 'pending',
      action: 'payments.refund',
    });
    const made = await find(again);
    const seconds = (Date.parse(made?.expiresAt ?? '') - Date.parse(made?.createdAt ?? '')) / 1000;
    expect(seconds).toBe(4 * 60 * 60);
    // An owner can deny any request, including their own.
    await button(page, 'Deny').waitFor();
    expect(await button(page, /^Approve/).count()).toBe(0);
    const other = await open(id);
    await other.getByRole('link', { name: 'view the new request' }).waitFor();
    await done(page);
    await done(other);
  });
});

describe('who may look', () => {
  test('nobody without signing in, and then one comes back here', async () => {
    const id = await served.ask('payments.refund', REFUND);
    const page = await browser.open(served, null, `/approve/${id}`);
    await page.waitForURL(/\/sign-in/);
    expect(new URL(page.url()).searchParams.get('return_to')).toBe(`/approve/${id}`);
    expect(await page.content()).not.toContain('payments.refund');
    await done(page);
  });

  test('one of another project and one that never was are the same page', async () => {
    const stranger = await served.addPerson('stranger@example.org', 'approver');
    const other = await serveGate({ mode: 'live' });
    const id = await served.ask('payments.refund', REFUND);
    const texts: string[] = [];
    for (const [gate, person, one] of [
      [other, other.owner, id],
      [served, stranger, 'int_01hzzzzzzzzzzzzzzzzzzzzzzz'],
    ] as const) {
      const page = await browser.open(gate, person, `/approve/${one}`);
      await page.getByText('Request not found, or you don’t have access to its project').waitFor();
      texts.push((await page.getByRole('main').innerText()).replace(person.email, ''));
      await done(page);
    }
    expect(texts[0]).toBe(texts[1]);
    await other.close();
  });
});

describe('with a passkey', () => {
  test('none yet: the way to one, and back; then one press, the device, and the decision', async () => {
    const carl = await served.addPerson('carl@example.org', 'approver');
    const id = await served.ask('payments.refund', REFUND, { proof_tier: 'passkey' });
    const page = await open(id, carl, { width: 390 });
    const { session, authenticatorId } = await addAuthenticator(page);
    expect(await button(page, /Approve/).count()).toBe(0);
    await page.getByRole('link', { name: 'Add a passkey' }).click();
    await page.getByText('A request needs your passkey').waitFor();
    await button(page, 'Add a passkey').click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Add|Go on|Continue/ })
      .click();
    await page.waitForURL(`${served.url}/approve/${id}`);
    await button(page, 'Approve with passkey').waitFor();
    await expect.poll(() => cutLabels(page)).toEqual([]);
    // The toast about the passkey covers neither the button nor the request.
    await page.locator('.toast').first().waitFor();
    for (const what of [button(page, 'Approve with passkey'), page.getByRole('heading', { level: 1 })]) {
      const isFree = await what.evaluate((element) => {
        const { x, y, width, height } = element.getBoundingClientRect();
        const places = [x + 2, x + width / 2].flatMap((left) =>
          [y + 2, y + height / 2].map((top) => [left, top]),
        );
        return places.every(([left = 0, top = 0]) => element.contains(document.elementFromPoint(left, top)));
      });
      expect(isFree).toBe(true);
    }

    await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    await button(page, 'Approve with passkey').click();
    await page.getByText(/Your decision was not recorded/).waitFor();
    expect((await find(id)).status).toBe('pending');

    await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
    await button(page, 'Approve with passkey').click();
    await page.getByRole('heading', { name: 'Approved' }).waitFor();

    // The request needs a device key. A passkey proves more, so it is accepted.
    const other = await served.ask('payments.refund', REFUND, { proof_tier: 'device' });
    await page.goto(`${served.url}/approve/${other}`);
    await button(page, 'Approve with passkey').click();
    await page.getByRole('heading', { name: 'Approved' }).waitFor();
    expect((await find(other)).status).toBe('approved');
    expect((await find(id)).approvals).toMatchObject([{ by: 'carl@example.org', method: 'passkey' }]);
    await done(page);
  });
});

test('a policy change while the page is open is said, and the page no longer offers approval', async () => {
  const changed = await serveGate({ mode: 'live' });
  const person = await changed.addPerson('ann@example.org', 'approver');
  const id = await changed.ask('payments.refund', REFUND);
  const page = await browser.open(changed, person, `/approve/${id}`);
  await button(page, 'Approve once').waitFor();
  await putPolicy(changed.gate, OPERATOR, {
    projectId: changed.projectId,
    document: {
      name: 'closed',
      default: { approvers: ['role:approver'] },
      rules: [{ name: 'no <b>refunds</b>', match: { action: 'payments.refund' }, effect: 'deny' }],
    },
  });
  await page.getByText('The policy of this project changed while you had this request open.').waitFor();
  await page.getByText('Policy now denies this action, so it can’t be approved.').first().waitFor();
  await expect.poll(() => button(page, 'Approve once').count()).toBe(0);
  await done(page);
  await changed.close();
});
