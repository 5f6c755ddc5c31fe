import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { describeIntent } from './describe-intent.ts';
import type { ReviewedIntent } from './reviewed-intent.ts';

const STEERS = '\u001b[2J\u009b31m\u202e\n';
const at = '2026-11-20T12:00:00.000Z';

const INTENT: ReviewedIntent = {
  id: 'int_1',
  project: { id: 'prj_1', name: 'First', mode: 'live', stopped: false },
  status: 'approved',
  hashed: {
    project: 'prj_1',
    intent: 'int_1',
    action: 'payments.refund',
    requester: 'agt_1',
    source: 'first-agent',
    source_type: 'ai_agent',
    risk_tier: 'high',
    metadata: { reason: 'asked for' },
    expires_at: at,
  },
  canonical_params: '{"amount":5}',
  risk_rated: true,
  params_hash: 'sha256:1',
  intent_hash: 'sha256:2',
  requester: { type: 'agent', id: 'agt_1', display: 'first-agent', agent: { name: 'A', status: 'active' } },
  approval_url: 'https://gate.example.org/approve/int_1',
  created_at: at,
  expires_at: at,
  resolved_at: at,
  resolved_by: 'ann@example.org',
  reason: 'as agreed',
  erased_at: at,
  policy: { rule: 'big', reason: 'why', effect: 'require_approval', changed: false },
  approvals_required: 1,
  approvals_received: 1,
  missing: [{ from: ['finance'], count: 1, who: ['bob@example.org'], more: 1 }],
  asked_of: ['finance'],
  denied_lately: { intent_id: 'int_2', by: 'bob@example.org', at, reason: 'too much' },
  votes: [{ by: 'ann@example.org', mine: false, decision: 'approve', at, method: 'device' }],
  can_approve: false,
  can_deny: false,
  why_not: 'resolved',
  proof: { tier: 'device', has_passkey: false },
  permit: { expires_at: at, used_at: at, revoked_at: null },
  outcome: 'succeeded',
  previous: {
    id: 'int_0',
    approved_at: at,
    approved_by: 'ann@example.org',
    canonical_params: '{"amount":4}',
    params_hash: 'sha256:3',
  },
  approved_lately: { id: 'int_0', approved_at: at, used_at: null, revoked_at: null },
};

const JSON_TEXTS = new Set(['canonical_params']);

/** Adds the same suffix to every text, like a gate that wants to mislead people. */
function spoilt<T>(value: T): T {
  if (typeof value === 'string') return `${value}${STEERS}` as T;
  if (Array.isArray(value)) return value.map(spoilt) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, property]) => [
      name,
      JSON_TEXTS.has(name) ? property : spoilt(property),
    ]),
  ) as T;
}

test('no member of a request from the gate can control the terminal', () => {
  const lines = describeIntent(INTENT).split('\n');
  for (const permit of [
    INTENT.permit,
    { expires_at: at, used_at: null, revoked_at: null },
    { expires_at: at, used_at: null, revoked_at: at },
  ]) {
    const text = describeIntent(spoilt({ ...INTENT, permit }));
    expect(text).not.toMatch(/(?!\n)[\p{C}\p{Zl}\p{Zp}]/u);
    // The text adds no line of its own.
    expect(text.split('\n')).toHaveLength(lines.length);
  }
});

test.each([
  [{ used_at: null, revoked_at: null }, /Beware:.* identical to int_0, approved \S+ ago$/m],
  [{ used_at: at, revoked_at: null }, /Beware:.* identical to int_0, approved \S+ ago and already used$/m],
  [{ used_at: null, revoked_at: at }, /Beware:.* identical to int_0, approved \S+ ago, then revoked$/m],
])('a request that repeats an approved one shows a warning: %o', (twin, line) => {
  const text = describeIntent({ ...INTENT, approved_lately: { id: 'int_0', approved_at: at, ...twin } });
  expect(stripVTControlCharacters(text)).toMatch(line);
  expect(describeIntent({ ...INTENT, approved_lately: null })).not.toContain('identical');
});

test.each([
  ['pаypal', '"pаypal": mixes Latin and Cyrillic letters; reads like “paypal”'],
  ['аррӏе', '"аррӏе": Cyrillic letters that look like Latin “apple”'],
  ['1٢3', '"1٢3": mixes digits of 2 systems: reads 123'],
  ['Ame\u0301lie', '"Ame\u0301lie": not NFC; reads like “Amélie”'],
  ['pay\u0338pal', '"pay\\u{338}pal": letters drawn over; reads like “paypal”'],
])('a look-alike or invisible word is warned about once, in any member: %s', (word, warning) => {
  for (const intent of [
    { ...INTENT, canonical_params: JSON.stringify({ to: [`for ${word}`, { [word]: word }] }) },
    { ...INTENT, hashed: { ...INTENT.hashed, metadata: { reason: word } } },
    { ...INTENT, hashed: { ...INTENT.hashed, action: word, source: word } },
    { ...INTENT, requester: { ...INTENT.requester, display: word } },
    { ...INTENT, policy: { ...INTENT.policy, reason: word } },
    { ...INTENT, previous: INTENT.previous && { ...INTENT.previous, canonical_params: `{"to":"${word}"}` } },
  ]) {
    const lines = stripVTControlCharacters(describeIntent(intent)).split('\n');
    expect(lines.filter((line) => line.startsWith('Beware: "') && !line.includes(' denied '))).toEqual([
      `Beware: ${warning}`,
    ]);
  }
});

test('at most twenty misleading words are named, and the others are counted', () => {
  const words = Array.from({ length: 25 }, (_, n) => `pаy${n}`);
  const text = describeIntent({ ...INTENT, canonical_params: JSON.stringify({ words }) });
  expect(text.match(/mixes Latin and Cyrillic/g)).toHaveLength(20);
  expect(text).toContain('5 more words are not what they seem');
});

test('a request in plain words shows no warning', () => {
  const text = describeIntent({ ...INTENT, approved_lately: null, denied_lately: null });
  expect(text).not.toContain('Beware');
});
