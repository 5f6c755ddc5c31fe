/** When the gate itself disables a webhook, the people who manage the project are notified by email. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createWebhook } from '../../src/gate/webhooks/create-webhook.ts';
import { testWebhook } from '../../src/gate/webhooks/request-deliveries.ts';
import { updateWebhook } from '../../src/gate/webhooks/update-webhook.ts';
import { Outbox } from '../../src/outgoing/outbox/outbox.ts';
import { Outgoing } from '../../src/outgoing/outgoing.ts';
import { readAddressRanges } from '../../src/outgoing/outgoing-addresses.ts';
import { WebhookSender } from '../../src/outgoing/webhooks/webhook-sender.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { type NotifiedGate, openNotifications } from '../notifications/open-notifications.ts';

let t: NotifiedGate;
let webhooks: Outbox;
beforeEach(async () => {
  t = await openNotifications();
  const outgoing = new Outgoing({ allowedPrivate: readAddressRanges('127.0.0.1'), timeoutMs: 30_000 });
  webhooks = new Outbox(t.gate, {
    readers: [],
    senders: [new WebhookSender(t.gate, outgoing)],
    onError(error) {
      throw error;
    },
  });
  await t.addPerson('ann@example.org', 'admin');
  await t.addPerson('bob@example.org', 'approver');
  await t.mails();
});
afterEach(() => t.close());

async function makeItGo() {
  const { webhook } = await createWebhook(t.gate, OPERATOR, {
    projectId: t.projectId,
    url: `${t.posts.url}/in?token=s3cret`,
    eventTypes: ['intent.created'],
    description: 'Ledger of the shop',
  });
  t.posts.answers.set('/in?token=s3cret', { status: 410 });
  const named = { projectId: t.projectId, webhookId: webhook.id };
  await testWebhook(t.gate, OPERATOR, named);
  await webhooks.runOnce();
  return named;
}

test('when the gate disables a webhook, only admins and owners are notified, and the email omits its address', async () => {
  await makeItGo();
  const mails = await t.mails();
  const told = mails.filter(({ subject }) => subject?.includes('webhook'));
  expect(told.map(({ recipients }) => String(recipients))).toEqual(['ann@example.org', 'owner@example.org']);
  const [mail] = told;
  expect(JSON.stringify(mail)).toContain('Ledger of the shop');
  expect(JSON.stringify(mail)).toContain(`/projects/${t.projectId}/webhooks`);
  expect(JSON.stringify(mails)).not.toContain('s3cret');
});

test('nobody is notified if the webhook was enabled again before the email was sent', async () => {
  const named = await makeItGo();
  await updateWebhook(t.gate, OPERATOR, { ...named, enabled: true });
  expect((await t.subjects()).filter((subject) => subject.includes('webhook'))).toEqual([]);
});

test('nobody is notified of a webhook that was disabled by hand', async () => {
  const { webhook } = await createWebhook(t.gate, OPERATOR, {
    projectId: t.projectId,
    url: `${t.posts.url}/in`,
  });
  const named = { projectId: t.projectId, webhookId: webhook.id };
  await updateWebhook(t.gate, OPERATOR, { ...named, enabled: false });
  expect(await t.subjects()).toEqual([]);
});
