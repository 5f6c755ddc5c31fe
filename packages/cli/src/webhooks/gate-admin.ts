import type { GateParts } from '@permitry/server';
import {
  createWebhook,
  deleteWebhook,
  listDeliveries,
  listWebhooks,
  openToWebhooks,
  PRIVATE_RANGES,
  replayDelivery,
  replayRange,
  rotateWebhookSecret,
  testWebhook,
  toReplayRange,
  toWireDelivery,
  toWireReplay,
  toWireWebhook,
} from '@permitry/server/webhooks';
import { allPages } from '../all-pages.ts';
import { findProject } from '../find-project.ts';
import { withGate } from '../open-gate-for-admin.ts';
import { OPERATOR } from '../operator.ts';
import type { WebhookAdmin, WebhookFlags } from './webhook-admin.ts';

/** Beside servers that may be running on it; they send what is asked for here. */
export function withGateAdmin(
  flags: WebhookFlags,
  work: (admin: WebhookAdmin) => Promise<void>,
): Promise<void> {
  let isPrivate = (_url: string): boolean => false;
  return withGate(
    flags,
    async (gate) => {
      const admin = adminOf(gate, (await findProject(gate, flags.project)).id);
      await work({
        ...admin,
        async add(wanted) {
          const made = await admin.add(wanted);
          if (isPrivate(wanted.url)) sayWhoDecides();
          return made;
        },
      });
    },
    ({ allowPrivateTargets: allowed }) => {
      isPrivate = (url) =>
        openToWebhooks({ allowedPrivate: allowed }).reach.findTargetProblem(url) !== undefined;
      // Which private addresses may be reached is a setting of the gates that send, and each asks it of every connection.
      return openToWebhooks({ allowedPrivate: [...allowed, ...PRIVATE_RANGES] });
    },
  );
}

function sayWhoDecides(): void {
  process.stderr.write(
    'This address is private. Events are sent there only by gates whose own PERMITRY_ALLOW_PRIVATE_TARGETS lists it.\n',
  );
}

function adminOf(gate: GateParts, projectId: string): WebhookAdmin {
  return {
    async list() {
      const found = await allPages((page) => listWebhooks(gate, OPERATOR, { projectId, ...page }));
      return found.map((webhook) => toWireWebhook(gate, webhook));
    },
    async add({ url, event_types: eventTypes = null, description = null }) {
      const made = await createWebhook(gate, OPERATOR, { projectId, url, eventTypes, description });
      return { ...toWireWebhook(gate, made.webhook), secret: made.secret };
    },
    async test(webhookId) {
      return toWireDelivery(await testWebhook(gate, OPERATOR, { projectId, webhookId }));
    },
    async deliveries(webhookId, wanted) {
      const page = await listDeliveries(gate, OPERATOR, { projectId, webhookId, ...wanted });
      return page.items.map(toWireDelivery);
    },
    async replay(webhookId, range) {
      const wanted = { projectId, webhookId, ...toReplayRange(range) };
      return toWireReplay(await replayRange(gate, OPERATOR, wanted));
    },
    async replayDelivery(webhookId, deliveryId) {
      return toWireDelivery(await replayDelivery(gate, OPERATOR, { projectId, webhookId, deliveryId }));
    },
    async rotate(webhookId, overlapSeconds) {
      const { webhook, secret } = await rotateWebhookSecret(gate, OPERATOR, {
        projectId,
        webhookId,
        ...(overlapSeconds === undefined ? {} : { overlapSeconds }),
      });
      return { ...toWireWebhook(gate, webhook), secret };
    },
    remove: (webhookId) => deleteWebhook(gate, OPERATOR, { projectId, webhookId }),
  };
}
