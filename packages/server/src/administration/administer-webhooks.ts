/** What the command line may use of webhooks; apart from the rest, for it loads the door through which addresses are checked. */

import type { OpenGateOptions } from '../open-gate.ts';
import { openReach } from '../outgoing/notifications/open-reach.ts';
import { Outgoing } from '../outgoing/outgoing.ts';
import { type AddressRange, readAddressRanges } from '../outgoing/outgoing-addresses.ts';

export { createWebhook } from '../gate/webhooks/create-webhook.ts';
export { listDeliveries, listWebhooks } from '../gate/webhooks/read-webhooks.ts';
export { replayRange } from '../gate/webhooks/replay-range.ts';
export { replayDelivery, testWebhook } from '../gate/webhooks/request-deliveries.ts';
export { rotateWebhookSecret } from '../gate/webhooks/rotate-secret.ts';
export { deleteWebhook } from '../gate/webhooks/update-webhook.ts';
export type { WebhookDeliveryState as DeliveryState } from '../gate/webhooks/webhook.ts';
export {
  toReplayRange,
  toWireDelivery,
  toWireReplay,
  toWireWebhook,
} from '../http/surface-b/to-wire-webhook.ts';

/** What an operator may allow a gate to reach beside the public internet. */
export const PRIVATE_RANGES = readAddressRanges(
  '10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,127.0.0.0/8,169.254.0.0/16,100.64.0.0/10,::1,fc00::/7,fe80::/10',
);

/** What a gate is to be opened with to take addresses of webhooks; nothing is sent by it. */
export function openToWebhooks({
  allowedPrivate,
}: {
  allowedPrivate: readonly AddressRange[];
}): Required<Pick<OpenGateOptions, 'reach'>> {
  return { reach: openReach({ configured: false }, new Outgoing({ allowedPrivate })) };
}
