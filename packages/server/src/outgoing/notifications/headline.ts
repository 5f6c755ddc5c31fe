import type { NotificationKind } from '../../gate/notifications/kinds.ts';

/** One line for many things, e.g. `12 intents wait for you, 3 were decided`. */
export function headlineOf(
  tellings: readonly { kind: NotificationKind }[],
  unlisted: number,
  audience: 'person' | 'chat',
): string {
  const count = (...kinds: NotificationKind[]): number =>
    tellings.filter(({ kind }) => kinds.includes(kind)).length;
  const whom = audience === 'person' ? 'you' : 'a decision';
  const parts = [
    phrase(count('waiting', 'reminder'), `intent waits for ${whom}`, `intents wait for ${whom}`),
    phrase(count('decided', 'resolved'), 'was decided', 'were decided'),
    phrase(count('more_time'), 'needs more time', 'need more time'),
    phrase(count('revoked'), 'was revoked', 'were revoked'),
    phrase(count('proposed'), `change of a policy waits for ${whom}`, `changes of a policy wait for ${whom}`),
    phrase(count('proposal_ended'), 'proposal came to its end', 'proposals came to their end'),
    phrase(count('webhook_disabled'), 'webhook was disabled', 'webhooks were disabled'),
    phrase(count('agent_owner_left'), 'agent was left by its owner', 'agents were left by their owners'),
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
