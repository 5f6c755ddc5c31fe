import type { InboxItem } from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import type { DeniedLately } from '../../gate/intents/denied-lately.ts';

export function toWireDenial(denied: DeniedLately | null): Static<typeof InboxItem>['denied_lately'] {
  if (denied === null) return null;
  const { intentId, by, at, reason } = denied;
  return { intent_id: intentId, by, at, reason };
}
