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

test('a webhook is made, its secret shown once, tried, replayed, rotated, disabled and deleted', async () => {
  const ann = await served.addPerson('ann@example.org', 'admin');
  const page = await browser.open(served, ann, `/projects/${served.projectId}/webhooks`);
  await page.getByText('No webhooks').waitFor();
  await page.getByRole('button', { name: 'New webhook' }).click();
  await page.getByLabel('Address').fill('https://10.0.0.1/in');
  await page.getByRole('button', { name: 'Make the webhook' }).click();
  await page.getByText('Must not lead into a private network.').waitFor();
  await page.getByLabel('Address').fill(`${endpoint.url}/in`);
  await page.getByLabel('Description').fill('Ledger of the shop');
  await page.getByLabel('Only some of it').check();
  await page.getByRole('button', { name: 'Make the webhook' }).click();
  await page.locator('.shown-once code').waitFor();
  const secret = await page.locator('.shown-once code').innerText();
  expect(secret).toMatch(/^whsec_/);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('it can’t be shown again').waitFor();
  await page.getByLabel('I’ve saved this secret').check();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('link', { name: 'Ledger of the shop' }).click();

  await page.getByText('No deliveries').waitFor();
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByRole('cell', { name: 'webhook.test', exact: true }).waitFor();
  await page.getByRole('cell', { name: 'delivered' }).waitFor();
  const [sent] = endpoint.received;
  expect(sent && isGenuine(sent, secret, Date.now())).toBe(true);

  endpoint.behaviours.set('/in', answers(500, {}, 'out of ink'));
  await served.call('POST', '/v1/intents', { key: served.first.agent_key, body: { action: 'deploy' } });
  await page.getByRole('cell', { name: 'It answered 500.' }).waitFor();
  await page.getByRole('button', { name: /Details of intent.created/ }).click();
  // The gate may have retried it already.
  await page.getByText('out of ink').first().waitFor();
  await page.getByText('"type": "intent.created"').waitFor();
  await page.getByRole('button', { name: 'Close', exact: true }).last().click();

  await page.getByRole('button', { name: 'Rotate the secret' }).click();
  await page.getByRole('button', { name: 'Make a new secret' }).click();
  const second = page.locator('.shown-once code');
  await expect.poll(() => second.innerText()).toMatch(/^whsec_/);
  expect(await second.innerText()).not.toBe(secret);
  await page.getByLabel('I’ve saved this secret').check();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('Older secrets sign').waitFor();

  endpoint.behaviours.clear();
  await page.getByRole('button', { name: 'Replay' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click();
  await page.getByText('1 event is sent once more.').last().waitFor();

  await page.getByRole('button', { name: 'Disable', exact: true }).click();
  await page.getByRole('button', { name: 'Disable the webhook' }).click();
  await page.getByRole('button', { name: 'Enable', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('button', { name: 'Delete the webhook' }).click();
  await page.getByText('No webhooks').waitFor();
  await page.context().close();
});

test('an approver is told whose business they are', async () => {
  const bo = await served.addPerson('bo@example.org', 'approver');
  const page = await browser.open(served, bo, `/projects/${served.projectId}/webhooks`);
  await page.getByText('seen and made by its admins and owners').waitFor();
  expect(await page.getByRole('button', { name: 'New webhook' }).count()).toBe(0);
  await page.context().close();
});
