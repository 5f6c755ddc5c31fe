import { canonicalJson, hashJson, type JsonObject } from '@permitry/protocol';
import { describe, expect, test } from 'vitest';
import { anIntent } from '../../test/fixtures/an-intent.ts';
import { ApiError } from '../api/api-error.ts';
import type { FoldedPart } from '../inert-text/folds.tsx';
import { checkHashes, type ShownIntent } from './check-hashes.ts';
import { compareWithLast } from './compared.ts';
import { findHidden } from './find-hidden.ts';
import { findWarnings, sayAgo } from './find-warnings.ts';
import { sayRefusal } from './say-refusal.ts';
import { sayConsequence, sayNames, sayOrdinal } from './sentences.ts';

describe('the check of the hashes', () => {
  test('accepts a request that is shown as it was hashed', () => {
    expect(checkHashes(anIntent())).toMatchObject({ kind: 'same', params: { amount: 5, to: 'Ann' } });
  });

  const whole = anIntent();
  test.each<[string, Partial<ShownIntent>]>([
    ['other parameters', { canonical_params: '{"amount":50,"to":"Ann"}' }],
    [
      'other parameters with their own hash',
      {
        canonical_params: '{"amount":50}',
        params_hash: hashJson({ amount: 50 }),
      },
    ],
    ['parameters in another spelling', { canonical_params: '{"to":"Ann","amount":5}' }],
    ['a name twice', { canonical_params: '{"amount":50,"amount":5,"to":"Ann"}' }],
    ['parameters that are not an object', { canonical_params: '[]' }],
    ['a text that is not JSON', { canonical_params: '{' }],
    ['another action', { hashed: { ...whole.hashed, action: 'payments.payout' } }],
    ['a lower risk', { hashed: { ...whole.hashed, risk_tier: 'low', source: null } }],
    ['another explanation of the agent', { hashed: { ...whole.hashed, metadata: { why: 'harmless' } } }],
    ['the hash of another intent', { id: 'int_2' }],
    ['another hash', { intent_hash: hashJson({}) }],
  ])('refuses %s', (_name, changes) => {
    expect(checkHashes(anIntent(changes)).kind).toBe('different');
  });

  test('claims nothing about a request whose texts were erased', () => {
    const erased = anIntent({
      canonical_params: '{}',
      erased_at: '2026-11-20T10:00:00.000Z',
      status: 'expired',
    });
    expect(checkHashes(erased).kind).toBe('erased');
  });
});

describe('sentences', () => {
  test('say what an approval does', () => {
    expect(sayConsequence(anIntent())).toBe(
      'Issues one permit: this exact action, once, within 5 minutes of your approval.',
    );
    expect(sayConsequence(anIntent({ approvals_required: 3 }))).toBe(
      'This is approval 1 of 3. 2 more are needed before the action can run.',
    );
  });

  test('name the roles and groups that can approve', () => {
    expect(sayNames(['finance', 'role:approver', 'role:owner'])).toBe(
      'finance or an approver (or higher role) or an owner',
    );
  });

  test.each([
    ['already_voted', /already/],
    ['intent_expired', /^This request expired before .* Your decision was not recorded\.$/],
    ['intent_already_resolved', /^Already denied\. Your decision was not recorded\.$/],
    ['proof_required', /^Passkey required\./],
    ['policy_violation', /^Policy now denies this action\. The request was denied and nothing will run\.$/],
    ['conflict', /^This request no longer matches what you reviewed\. Your decision was not recorded\./],
    ['intent_not_found', /no longer have access/],
  ])('explain the refusal %s', (code, words) => {
    const error = new ApiError(409, { code: code.toUpperCase(), message: 'm', ...{ status: 'denied' } });
    expect(sayRefusal(error)).toMatch(words);
  });
});

describe('the comparison with the last approval', () => {
  const last = (params: JsonObject) => ({
    id: 'int_0',
    approved_at: '',
    approved_by: 'ann@example.org',
    canonical_params: canonicalJson(params),
    params_hash: hashJson(params),
  });
  const compare = (before: JsonObject) => {
    const intent = anIntent({ previous: last(before) });
    return compareWithLast(intent, checkHashes(intent));
  };

  test('has one sentence, and a note at each changed value', () => {
    expect(compare({ amount: 5, to: 'Ann' })?.summary).toBe('Same parameters as last time.');
    const compared = compare({ amount: 1, from: 'Bob' });
    expect(compared?.summary).toBe('Since last approval: 1 changed, 1 new, 1 removed.');
    expect([...(compared?.notes ?? [])]).toEqual([
      ['/amount', 'was 1 last time (×5)'],
      ['/to', 'new'],
    ]);
  });

  test('is left out when the hashes do not match', () => {
    const intent = anIntent({ previous: last({}), intent_hash: hashJson({}) });
    expect(compareWithLast(intent, checkHashes(intent))).toBeNull();
  });
});

describe('warnings', () => {
  const NOW = Date.parse('2026-11-20T09:30:00.000Z');
  const twin = {
    id: 'int_0',
    approved_at: '2026-11-20T09:28:00.000Z',
    used_at: null,
    revoked_at: null,
    outcome: null,
  };
  const warn = (changes: Parameters<typeof anIntent>[0] & object, folded: readonly FoldedPart[] = []) =>
    findWarnings({ intent: anIntent(changes), hidden: [] }, NOW, folded);

  test('are empty for an ordinary request', () => {
    expect(warn({})).toEqual([]);
  });

  test.each<[string, Partial<typeof twin> | { outcome: 'failed' | 'unknown' | 'succeeded' }, string]>([
    ['not used', {}, 'which has not run yet.'],
    ['used', { used_at: 'x' as never }, 'which has already run.'],
    ['used with success', { used_at: 'x' as never, outcome: 'succeeded' as never }, 'which has already run.'],
    [
      'used with a failure',
      { used_at: 'x' as never, outcome: 'failed' as never },
      'which has already run and reported a failure.',
    ],
    ['revoked', { revoked_at: 'x' as never }, 'which was revoked before it ran.'],
  ])('say that an identical request was approved and is %s', (_how, changes, end) => {
    expect(warn({ approved_lately: { ...twin, ...changes } as ShownIntent['approved_lately'] })).toEqual([
      { kind: 'repeated', text: `Identical to a request approved 2 minutes ago, ${end}`, intentId: 'int_0' },
    ]);
  });

  test('say who denied an identical request and why, after the approved one', () => {
    const denied = { by: 'ann@example.org', at: '2026-11-19T09:30:00.000Z', intent_id: 'int_9' };
    const both = { ...anIntent({ approved_lately: twin }), denied_lately: { ...denied, reason: 'No.' } };
    expect(findWarnings({ intent: both, hidden: [] }, NOW)).toMatchObject([
      { kind: 'repeated' },
      {
        kind: 'denied_lately',
        text: 'ann@example.org denied an identical request 1 day ago:',
        quote: 'No.',
        intentId: 'int_9',
      },
    ]);
    const silent = { ...anIntent(), denied_lately: { ...denied, reason: null } };
    expect(findWarnings({ intent: silent, hidden: [] }, NOW)).toMatchObject([
      { text: 'ann@example.org denied an identical request 1 day ago.', quote: null },
    ]);
  });

  test('say what is collapsed, that the policy changed, and that the agent is paused', () => {
    const agent = { id: 'agt_1', name: 'bot', status: 'paused' } as const;
    const { requester, project, policy } = anIntent();
    const all = warn(
      {
        policy: { ...policy, changed: true },
        project: { ...project, stopped: true },
        requester: { ...requester, agent },
      },
      [{}, {}],
    );
    expect(all.map(({ text }) => text)).toEqual([
      '2 parts of this request are collapsed and not shown.',
      'The policy changed after this was requested. The stricter of the two applies.',
      'This project is stopped. Nothing runs until it is started.',
      'This agent is paused. Its permits are refused.',
    ]);
  });

  test('are empty once the request is decided', () => {
    expect(warn({ status: 'approved', approved_lately: twin }, [{}])).toEqual([]);
  });

  test('count all collapsed parts together, and name the lists that are cut off', () => {
    const rows = { name: 'rows', size: '2,500 rows, 20 shown' };
    expect(warn({}, [rows, {}])).toEqual([
      { kind: 'folded', text: '2 parts of this request are collapsed and not shown.', folded: [rows] },
    ]);
  });

  test('name the values with invisible or look-alike characters', () => {
    const hidden = findHidden({
      ok: 'plain',
      list: ['a\u200bb'],
      'p\u0430y': 1,
      both: 'p\u0430y\u200b\u200b',
    });
    expect(hidden).toEqual([
      { path: ['list', 0], unseen: 1, suspect: 0 },
      { path: ['p\u0430y'], unseen: 0, suspect: 1 },
      { path: ['both'], unseen: 2, suspect: 1 },
    ]);
    expect(findWarnings({ intent: anIntent(), hidden }, NOW)).toMatchObject([
      { kind: 'hidden', text: 'Hidden and look-alike characters in 3 values:', hiddenTexts: hidden },
    ]);
    const [first] = hidden;
    expect(findWarnings({ intent: anIntent(), hidden: first ? [first] : [] }, NOW)).toMatchObject([
      { text: 'Hidden characters in 1 value:' },
    ]);
  });

  test.each([
    ['2026-11-20T09:29:30.000Z', 'just now'],
    ['2026-11-20T09:31:00.000Z', 'just now'],
    ['2026-11-20T08:31:00.000Z', '59 minutes ago'],
    ['2026-11-20T08:30:00.000Z', '1 hour ago'],
    ['2026-11-17T08:30:00.000Z', '3 days ago'],
  ])('%s is %s', (at, words) => {
    expect(sayAgo(at, NOW)).toBe(words);
  });
});

test('the button says which of several approvals it gives', () => {
  expect(sayOrdinal(anIntent())).toBe('');
  expect(sayOrdinal(anIntent({ approvals_required: 2, approvals_received: 1 }))).toBe(' (2 of 2)');
});
