import { count, type EventWords, Said } from './wording.tsx';

const WHY_DISABLED: Readonly<Record<string, string>> = {
  gone: ': it answered 410',
  failing: ': it took nothing for five days',
};

export const WEBHOOK_WORDS = {
  'webhook.created': {
    group: 'project',
    label: 'Webhook made',
    says: (data) => (
      <>
        had events sent to <Said value={data.host} />
      </>
    ),
  },
  'webhook.updated': {
    group: 'project',
    label: 'Webhook changed',
    says: (data) => (
      <>
        changed {data.address_changed === true ? 'where a webhook leads, now' : 'the webhook to'}{' '}
        <Said value={data.host} />
      </>
    ),
  },
  'webhook.enabled': {
    group: 'project',
    label: 'Webhook enabled',
    says: (data) => (
      <>
        enabled the webhook to <Said value={data.host} />
      </>
    ),
  },
  'webhook.disabled': {
    group: 'project',
    label: 'Webhook disabled',
    says: (data) => (
      <>
        disabled the webhook to <Said value={data.host} />
        {WHY_DISABLED[String(data.reason)]}
      </>
    ),
  },
  'webhook.deleted': {
    group: 'project',
    label: 'Webhook deleted',
    says: (data) => (
      <>
        deleted the webhook to <Said value={data.host} />
      </>
    ),
  },
  'webhook.secret_rotated': {
    group: 'project',
    label: 'Webhook secret rotated',
    says: (data) =>
      data.overlap_seconds === 0
        ? 'rotated the secret of a webhook; older ones ended at once'
        : 'rotated the secret of a webhook',
  },
  'webhook.secret_dropped': {
    group: 'project',
    label: 'Older webhook secrets ended',
    says: () => 'ended the older secrets of a webhook',
  },
  'webhook.replayed': {
    group: 'project',
    label: 'Webhook replayed',
    says: (data) => <>had {count(data.queued, 'event', 'events')} sent to a webhook once more</>,
  },
} satisfies EventWords;
