import type { Telling } from '../../gate/notifications/to-telling.ts';
import { toInertLine } from '../inert-text.ts';
import { toTimeText } from '../time-text.ts';
import type { Words } from './words.ts';

/** Says that the gate no longer sends to a webhook, and why. */
export function describeWebhook(
  { project, webhook }: Extract<Telling, { kind: 'webhook_disabled' }>,
  timeZone: string,
): Words {
  const why =
    webhook.disabledReason === 'gone' ? 'it answered 410 (Gone)' : 'it accepted no delivery for five days';
  return {
    title: `A webhook was disabled: ${toInertLine(webhook.host, 80)}`,
    lead: `The gate disabled this webhook because ${why}. After you enable it again, you can replay the events that it missed.`,
    facts: [
      { name: 'Host', value: toInertLine(webhook.host, 100) },
      ...(webhook.description === null
        ? []
        : [{ name: 'Description', value: toInertLine(webhook.description) }]),
      { name: 'Project', value: `${toInertLine(project.name, 100)} (${project.mode} mode)` },
      ...(webhook.disabledAt === null
        ? []
        : [{ name: 'Disabled', value: toTimeText(webhook.disabledAt, timeZone) }]),
    ],
    path: `/projects/${project.id}/webhooks`,
    linkLabel: 'View webhooks',
  };
}
