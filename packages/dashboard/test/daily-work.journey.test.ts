/** Daily work in a real browser with a real gate: one journey for each role. */
import type { JsonObject } from '@permitry/protocol';
import { expect, test } from 'vitest';
import { putPolicy } from '../../server/src/gate/policy-management/put-policy.ts';
import { type AtAGate, atAGate, decideAs } from './fixtures/at-a-gate.ts';
import type { OpenedPage } from './fixtures/open-browser.ts';
import { OPERATOR } from './fixtures/serve-gate.ts';

let { browser, served, ann } = {} as AtAGate;
atAGate({}, (at) => ({ browser, served, ann } = at));

const REFUND = { amount: 120.5, order: 'A-1', note: null, tags: [], by: { name: 'Ann', vip: true } };

const POLICY: JsonObject = {
  name: 'refunds',
  default: { approvers: ['role:approver'], min_approvals: 1 },
  rules: [
    { name: 'small', match: { action: 'orders.refund' }, when: 'params.amount < 100', effect: 'allow' },
  ],
};

const read = () => served.gate.storage.read;
const button = (page: OpenedPage, name: string | RegExp) =>
  page.getByRole('button', { name, ...(typeof name === 'string' && { exact: true }) });

async function seen(page: OpenedPage, text: string | RegExp): Promise<void> {
  await page.getByText(text).first().waitFor();
}

test('an approver approves: what was shown is named, the permit lives, is used, and never reaches the browser', async () => {
  const id = await served.ask('payments.refund', REFUND);
  const page = await browser.open(served, ann, `/approve/${id}`);
  const answers: Promise<string>[] = [];
  const sent: unknown[] = [];
  page.on('response', (response) => {
    if (/\/intents\//.test(response.url())) answers.push(response.text().catch(() => ''));
  });
  page.on('request', (request) => {
    if (request.method() === 'PATCH') sent.push(request.postDataJSON());
  });
  await page.getByText('Add a comment').click();
  await page.getByLabel('Comment').fill('Looks right.');
  await button(page, /^Approve once/).click();
  await page.getByRole('heading', { name: 'Approved' }).waitFor();
  expect(sent).toEqual([
    { decision: 'approve', reason: 'Looks right.', intent_hash: (await read().findIntent(id))?.intentHash },
  ]);
  await page.getByText('Not used yet').waitFor();
  await expect
    .poll(() => page.getByRole('complementary', { name: 'Decision' }).innerText())
    .toMatch(/[45]:\d\d/);

  const { body } = await served.call('GET', `/v1/intents/${id}`, { key: served.first.agent_key });
  const { token } = body.permit as { token: string };
  const used = await served.call('POST', '/v1/permits/validate', {
    key: served.first.agent_key,
    body: { token, action: 'payments.refund', params: REFUND, consume: true },
  });
  expect(used.body.valid).toBe(true);
  await page.getByText('No outcome was reported yet.').waitFor();
  await served.call('POST', `/v1/intents/${id}/outcome`, {
    key: served.first.agent_key,
    body: { outcome: 'succeeded' },
  });
  await page.getByText('The executor reported success.').waitFor();
  for (const text of [await page.content(), ...(await Promise.all(answers))])
    expect(text).not.toContain(token);
  await page.context().close();
});

test('an admin writes a draft, simulates it on past requests, reads the impact, and publishes it', async () => {
  const admin = await served.addPerson('ada@example.org', 'admin');
  const { projectId } = served;
  const {
    policy: { version },
  } = await putPolicy(served.gate, OPERATOR, { projectId, document: POLICY });
  const id = await served.ask('orders.refund', { amount: 250 });
  expect(await decideAs(served, ann, id, { decision: 'approve' })).toBe(200);
  await served.ask('orders.refund', { amount: 20 });

  const page = await browser.open(served, admin, `/projects/${projectId}/policy`);
  const written = JSON.stringify(POLICY, null, 2).replace('< 100', '< 1000');
  await page.getByRole('textbox', { name: 'Policy as JSON' }).click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.insertText(written);
  await button(page, 'Review draft').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/Would allow 1 request that people approved/).waitFor();
  await expect.poll(() => dialog.locator('ins').innerText()).toContain('params.amount < 1000');
  await dialog.getByText(/All changes from/).click();
  expect(
    await dialog
      .getByRole('link', { name: /Example request 1/ })
      .first()
      .getAttribute('href'),
  ).toBe(`/approve/${id}`);
  await dialog.getByRole('button', { name: 'Publish' }).click();
  await page
    .getByText(`Version ${version + 1} is active`)
    .first()
    .waitFor();
  expect(await read().findPolicy(projectId)).toMatchObject({
    version: version + 1,
    document: JSON.parse(written),
    createdBy: admin.email,
  });
  await page.getByText('No changes').waitFor();
  await page.context().close();
});

test('an owner creates a live project, renames it, and finds it in the list with its mode', async () => {
  const page = await browser.open(served, served.owner, '/projects');
  await button(page, 'Create project').click();
  await page.getByLabel('Name', { exact: true }).fill('Refunds');
  await page.getByRole('radio', { name: /^Live/ }).check();
  await page.getByRole('dialog').getByRole('button', { name: 'Create project' }).click();
  await seen(page, 'A project named Refunds already exists.');
  await page.getByLabel('Name', { exact: true }).fill('Payouts');
  await page.getByRole('dialog').getByRole('button', { name: 'Create project' }).click();
  await page.waitForURL(/\/projects\/prj_\w+\/agents$/);
  await seen(page, 'No agents yet');

  const projectId = /prj_\w+/.exec(page.url())?.[0] ?? '';
  expect(await read().listMembers(projectId)).toMatchObject([{ email: 'owner@example.org', role: 'owner' }]);
  await page.goto(`${served.url}/projects/${projectId}/settings`);
  await page.getByLabel('New name').fill('Payments out');
  await button(page, 'Rename project').click();
  await seen(page, 'Renamed the project.');
  expect((await read().findProject(projectId))?.name).toBe('Payments out');

  await page.goto(`${served.url}/projects`);
  const card = page.getByRole('article').filter({ hasText: 'Payments out' });
  await expect.poll(() => card.innerText()).toMatch(/Live[\s\S]*You are an owner/);
});
