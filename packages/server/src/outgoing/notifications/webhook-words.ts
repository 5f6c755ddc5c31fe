import type { Telling } from '../../gate/notifications/to-telling.ts';
import { toInertLine } from '../inert-text.ts';
import { toTimeText, type Words } from './words.ts';

/** Says that the gate no longer sends to a webhook, and why. */
export function describeWebhook({ project, webhook }: Extract<Telling, { kind: 'webhook_disabled' }>): Words {
  const why =
    webhook.disabledReason === 'gone'
      ? 'It answered 410: it wants nothing any more.'
      : 'It took nothing for five days.';
  return {
    title: `A webhook was disabled: ${toInertLine(webhook.host, 80)}`,
    lead: `${why} Nothing is sent there until somebody enables it; what it missed can be replayed.`,
    facts: [
      { name: 'Host', value: toInertLine(webhook.host, 100) },
      ...(webhook.description === null
        ? []
        : [{ name: 'Description', value: toInertLine(webhook.description) }]),
      { name: 'Project', value: `${toInertLine(project.name, 100)} (${project.mode})` },
      ...(webhook.disabledAt === null ? [] : [{ name: 'When', value: toTimeText(webhook.disabledAt) }]),
    ],
    path: `/projects/${project.id}/webhooks`,
    linkLabel: 'Look at it',
  };
}
