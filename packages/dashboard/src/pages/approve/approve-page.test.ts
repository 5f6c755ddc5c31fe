import { canonicalJson, hashJson, intentHash, type JsonObject } from '@permitry/protocol';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../api/api-error.ts';
import { checkHashes, type ShownIntent } from './check-hashes.ts';
import { compareWithLast } from './compared.ts';
import { sayConsequence, sayLifetime, sayNames, sayRefusal } from './sentences.ts';
import { findNews } from './what-changed.ts';

function anIntent(
  changes: Partial<ShownIntent> = {},
  params: JsonObject = { amount: 5, to: 'Ann' },
): ShownIntent {
  const hashed: ShownIntent['hashed'] = {
    project: 'prj_1',
    intent: 'int_1',
    action: 'payments.refund',
    requester: 'agt_1',
    source: 'bot',
    source_type: 'ai_agent',
    risk_tier: 'low',
    metadata: {},
    expires_at: '2026-11-20T10:00:00.000Z',
  };
  return {
    id: 'int_1',
    project: { id: 'prj_1', name: 'Refunds', mode: 'live', stopped: false },
    status: 'pending',
    decision: 'require_approval',
    hashed,
    canonical_params: canonicalJson(params),
    params_hash: hashJson(params),
    intent_hash: intentHash({ ...hashed, params }),
    requester: { type: 'agent', id: 'agt_1', display: 'bot', agent: null },
    approval_url: 'http://localhost/approve/int_1',
    created_at: '2026-11-20T09:00:00.000Z',
    expires_at: hashed.expires_at,
    resolved_at: null,
    resolved_by: null,
    reason: null,
    withdrawn: false,
    erased_at: null,
    policy: { rule: null, reason: null, effect: 'require_approval', changed: false },
    approvals_required: 1,
    approvals_received: 0,
    requirement: [],
    missing: [],
    votes: [],
    can_approve: true,
    can_deny: true,
    why_not: null,
    proof: { tier: 'none', has_passkey: false },
    permit: { lifetime_seconds: 300, expires_at: null, used_at: null, revoked_at: null },
    outcome: null,
    outcome_at: null,
    receipt: null,
    previous: null,
    extension_requested: null,
    can_ask_to_extend: true,
    asked_again_from: null,
    asked_again_as: null,
    can_ask_again: false,
    ...changes,
  };
}

describe('whether what is shown is what was hashed', () => {
  test('it is', () => {
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
    ['parameters that are none', { canonical_params: '[]' }],
    ['a text that is no JSON', { canonical_params: '{' }],
    ['another action', { hashed: { ...whole.hashed, action: 'payments.payout' } }],
    ['a lower risk', { hashed: { ...whole.hashed, risk_tier: 'low', source: null } }],
    ['other words of the agent', { hashed: { ...whole.hashed, metadata: { why: 'harmless' } } }],
    ['the hash of another intent', { id: 'int_2' }],
    ['another hash', { intent_hash: hashJson({}) }],
  ])('%s: it is not', (_name, changes) => {
    expect(checkHashes(anIntent(changes)).kind).toBe('different');
  });

  test('of one whose texts were erased nothing is claimed', () => {
    const erased = anIntent({
      canonical_params: '{}',
      erased_at: '2026-11-20T10:00:00.000Z',
      status: 'expired',
    });
    expect(checkHashes(erased).kind).toBe('erased');
  });
});

describe('what became other while the page was open', () => {
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
    [{ status: 'expired' }, 'This request expired while you had it open. Nobody decided it.'],
  ])('%j', (changes, text) => {
    expect(ended(changes)).toMatchObject([{ text }]);
  });

  test('votes of others, a changed policy, a lost right', () => {
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
      { text: 'You may not decide this any more.' },
    ]);
  });

  test('nothing, when nothing did or it was oneself', () => {
    expect(findNews(pending, anIntent(), onlooker)).toEqual([]);
    const own = anIntent({ status: 'approved', resolved_by: 'me@example.org', can_approve: false });
    expect(findNews(pending, own, { ...onlooker, decidedHere: true })).toEqual([]);
    expect(findNews(pending, own, onlooker)).toMatchObject([
      { text: 'You approved this in another window.' },
    ]);
  });
});

describe('sentences', () => {
  test.each([
    [300, '5 minutes'],
    [60, '1 minute'],
    [90, '90 seconds'],
    [3600, '1 hour'],
    [172_800, '2 days'],
  ])('%d seconds are %s', (seconds, words) => {
    expect(sayLifetime(seconds)).toBe(words);
  });

  test('what approving brings about', () => {
    expect(sayConsequence(anIntent())).toBe(
      'Issues one permit: exactly this, once, within 5 minutes of your approval.',
    );
    expect(sayConsequence(anIntent({ approvals_required: 3 }))).toBe(
      'Counts as one approval. 2 more are needed before it may run.',
    );
  });

  test('who may', () => {
    expect(sayNames(['finance', 'role:approver', 'role:owner'])).toBe(
      'finance or an approver or above or an owner',
    );
  });

  test.each([
    ['already_voted', /already/],
    ['intent_expired', /ran out/],
    ['intent_already_resolved', /is denied already/],
    ['proof_required', /passkey/],
    ['policy_violation', /recorded as denied/],
    ['conflict', /Nothing was decided/],
    ['intent_not_found', /no longer shown/],
  ])('a refusal %s is said in words', (code, words) => {
    const error = new ApiError(409, { code: code.toUpperCase(), message: 'm', ...{ status: 'denied' } });
    expect(sayRefusal(error)).toMatch(words);
  });
});

describe('compared with last time', () => {
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

  test('in one sentence, and at each value', () => {
    expect(compare({ amount: 5, to: 'Ann' })?.summary).toBe('The same parameters as last time.');
    const compared = compare({ amount: 1, from: 'Bob' });
    expect(compared?.summary).toBe('Since last time: 1 changed, 1 new, 1 gone.');
    expect([...(compared?.notes ?? [])]).toEqual([
      ['/amount', 'was 1 last time (×5)'],
      ['/to', 'new since last time'],
    ]);
  });

  test('not at all, when what is shown is not what was hashed', () => {
    const intent = anIntent({ previous: last({}), intent_hash: hashJson({}) });
    expect(compareWithLast(intent, checkHashes(intent))).toBeNull();
  });
});
