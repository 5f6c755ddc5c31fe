import { describe, expect, test } from 'vitest';
import { anIntent } from '../../../test/fixtures/an-intent.ts';
import type { ShownIntent } from '../../decide/check-hashes.ts';
import { findNews } from './what-changed.ts';

describe('news while the page is open', () => {
  const pending = anIntent();
  const onlooker = { email: 'me@example.org', decidedHere: false };
  const ended = (changes: Partial<ShownIntent>) =>
    findNews(pending, anIntent({ can_approve: false, can_deny: false, ...changes }), onlooker);

  test.each<[Partial<ShownIntent>, string]>([
    [
      { status: 'approved', resolved_by: 'ann@example.org' },
      'ann@example.org approved this while you had it open.',
    ],
    [
      { status: 'denied', resolved_by: 'ann@example.org' },
      'ann@example.org denied this while you had it open.',
    ],
    [
      { status: 'denied', resolved_by: 'policy:no' },
      'The policy rule “no” denied this while you had it open.',
    ],
    [{ status: 'denied', withdrawn: true }, 'The requester withdrew this while you had it open.'],
    [{ status: 'expired' }, 'This request expired while you had it open.'],
  ])('%j', (changes, text) => {
    expect(ended(changes)).toMatchObject([{ text }]);
  });

  test('report approvals of others, a changed policy and a lost right', () => {
    const vote = {
      by: 'ann@example.org',
      mine: false,
      decision: 'approve',
      at: '',
      method: 'session',
    } as const;
    const two = anIntent({ approvals_required: 2 });
    expect(
      findNews(two, anIntent({ approvals_required: 2, approvals_received: 1, votes: [vote] }), onlooker),
    ).toMatchObject([{ text: 'ann@example.org approved this while you had it open: 1 of 2 approvals.' }]);
    const changed = anIntent({ policy: { ...pending.policy, changed: true }, approvals_required: 2 });
    expect(findNews(pending, changed, onlooker)).toHaveLength(2);
    expect(findNews(pending, anIntent({ can_approve: false }), onlooker)).toMatchObject([
      { text: 'You can no longer decide this.' },
    ]);
  });

  test('are empty when nothing changed or the reader decided here', () => {
    expect(findNews(pending, anIntent(), onlooker)).toEqual([]);
    const own = anIntent({ status: 'approved', resolved_by: 'me@example.org', can_approve: false });
    expect(findNews(pending, own, { ...onlooker, decidedHere: true })).toEqual([]);
    expect(findNews(pending, own, onlooker)).toMatchObject([
      { text: 'You approved this in another window.' },
    ]);
  });
});
