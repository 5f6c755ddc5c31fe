/** Webhooks, as the people who manage a project set them up, test them, and look into failures. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readAddressRanges } from '../../server/src/outgoing/outgoing-addresses.ts';
import {
  answers,
  receiveWebhooks,
  type WebhookReceiver,
} from '../../server/test/webhooks/receive-webhooks.ts';
import { isGenuine } from '../../server/test/webhooks/verify-webhook.ts';
import { type OpenedBrowser, openBrowser } from './fixtures/open-browser.ts';
import { type ServedGate, serveGate } from './fixtures/serve-gate.ts';

let browser: OpenedBrowser;
let served: ServedGate;
let endpoint: WebhookReceiver;

beforeAll(async () => {
  endpoint = await receiveWebhooks();
  served = await serveGate({ config: { allowPrivateTargets: readAddressRanges('127.0.0.1') } });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await served.close();
  await endpoint.close();
});

test('a webhook is created, its secret is shown once, and it is tested, replayed, rotated, disabled and deleted', async () => {
  const ann = await served.addPerson('ann@example.org', 'admin');
  const page = await browser.open(served, ann, `/projects/${served.projectId}/webhooks`);
  await page.getByText('No webhooks').waitFor();
  await page.getByRole('button', { name: 'Create webhook' }).click();
  await page.getByLabel('Address').fill('https://10.0.0.1/in');
  await page.getByRole('dialog').getByRole('button', { name: 'Create webhook' }).click();
  await page.getByText('Must not lead into a private network.').waitFor();
  await page.getByLabel('Address').fill(`${endpoint.url}/in`);
  await page.getByLabel('Description').fill('Ledger of the shop');
  await page.getByLabel('Selected events').check();
  await page.getByRole('dialog').getByRole('button', { name: 'Create webhook' }).click();
  await page.locator('.shown-once code').waitFor();
  const secret = await page.locator('.shown-once code').innerText();
  expect(secret).toMatch(/^whsec_/);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('it can’t be shown again').waitFor();
  await page.getByLabel('I’ve saved this secret').check();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('link', { name: 'Ledger of the shop' }).click();

  await page.getByText('No deliveries').waitFor();
  await page.getByRole('button', { name: 'Send test event' }).click();
  await page.getByRole('cell', { name: 'webhook.test', exact: true }).waitFor();
  await page.getByRole('cell', { name: 'Delivered' }).waitFor();
  const [sent] = endpoint.received;
  expect(sent && isGenuine(sent, secret, Date.now())).toBe(true);

  endpoint.behaviours.set('/in', answers(500, {}, 'out of ink'));
  await served.call('POST', '/v1/intents', { key: served.first.agent_key, body: { action: 'deploy' } });
  await page.getByRole('cell', { name: 'It answered 500.' }).waitFor();
  await page.getByRole('button', { name: /View details of intent.created/ }).click();
  // The gate may have retried it already.
  await page.getByText('out of ink').first().waitFor();
  await page.getByText('"type": "intent.created"').waitFor();
  await page.getByRole('button', { name: 'Close', exact: true }).last().click();

  await page.getByRole('button', { name: 'Rotate secret' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
  const second = page.locator('.shown-once code');
  await expect.poll(() => second.innerText()).toMatch(/^whsec_/);
  expect(await second.innerText()).not.toBe(secret);
  await page.getByLabel('I’ve saved this secret').check();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('Old secrets valid until').waitFor();

  endpoint.behaviours.clear();
  await page.getByRole('button', { name: 'Replay events' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Replay events' }).click();
  await page.getByText('Queued 1 event again.').last().waitFor();

  await page.getByRole('button', { name: 'Disable webhook' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Disable webhook' }).click();
  await page.getByRole('button', { name: 'Enable webhook' }).waitFor();
  await page.getByRole('button', { name: 'Delete webhook' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete webhook' }).click();
  await page.getByText('No webhooks').waitFor();
  await page.context().close();
});

test('an approver sees no webhooks, and who can see them', async () => {
  const bo = await served.addPerson('bo@example.org', 'approver');
  const page = await browser.open(served, bo, `/projects/${served.projectId}/webhooks`);
  await page.getByText('Only admins and owners can see and create the webhooks').waitFor();
  expect(await page.getByRole('button', { name: 'Create webhook' }).count()).toBe(0);
  await page.context().close();
});
