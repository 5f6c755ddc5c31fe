import type { NotificationKind } from '../../gate/notifications/kinds.ts';

/** One line for many things, e.g. `12 requests need your review, 1 webhook was disabled`. */
export function headlineOf(
  tellings: readonly { kind: NotificationKind }[],
  unlisted: number,
  audience: 'person' | 'chat',
): string {
  const count = (...kinds: NotificationKind[]): number =>
    tellings.filter(({ kind }) => kinds.includes(kind)).length;
  const review = audience === 'person' ? 'your review' : 'review';
  const parts = [
    phrase(count('waiting', 'reminder'), `request needs ${review}`, `requests need ${review}`),
    phrase(
      count('decided', 'resolved'),
      'request was decided or expired',
      'requests were decided or expired',
    ),
    phrase(count('more_time'), 'request needs more time', 'requests need more time'),
    phrase(count('revoked'), 'approval was revoked', 'approvals were revoked'),
    phrase(count('proposed'), 'policy change needs approval', 'policy changes need approval'),
    phrase(count('proposal_ended'), 'policy change was closed', 'policy changes were closed'),
    phrase(count('webhook_disabled'), 'webhook was disabled', 'webhooks were disabled'),
    phrase(count('agent_owner_left'), 'agent lost its owner', 'agents lost their owners'),
    phrase(count('security'), 'notice about your account', 'notices about your account'),
    phrase(count('test'), 'test message', 'test messages'),
    unlisted === 0 ? '' : `${unlisted} more`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function phrase(count: number, one: string, many: string): string {
  if (count === 0) return '';
  return `${count} ${count === 1 ? one : many}`;
}
