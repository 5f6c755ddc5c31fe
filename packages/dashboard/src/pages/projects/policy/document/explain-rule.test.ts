import { describe, expect, test } from 'vitest';
import { duration, explainDefault, explainRule, sentenceText } from './explain-rule.ts';
import type { PolicyRule } from './policy-document.ts';

const FALLBACK = { approvers: ['role:approver'], min_approvals: 1 };

function say(rule: Omit<PolicyRule, 'name'>): string {
  return sentenceText(explainRule({ name: 'x', ...rule }, FALLBACK));
}

describe('a rule read aloud', () => {
  test.each<[string, Omit<PolicyRule, 'name'>]>([
    [
      'When anyone asks for payments.refund and params.amount > 5000, two of finance and one of security must approve, with a passkey.',
      {
        match: { action: 'payments.refund' },
        when: 'params.amount > 5000',
        effect: 'require_approval',
        require: [
          { from: ['finance'], count: 2 },
          { from: ['security'], count: 1 },
        ],
        proof_tier: 'passkey',
      },
    ],
    [
      'When an AI agent or a CI job named deploy-bot or ci-* asks for deploy.*, db.migrate or db.drop at risk high or critical, it is denied. “Not by a machine.”',
      {
        match: {
          source_type: ['ai_agent', 'ci'],
          source: 'deploy-bot | ci-*',
          action: 'deploy.* | db.migrate | db.drop',
          risk_tier: 'high|critical',
        },
        effect: 'deny',
        reason: 'Not by a machine.',
      },
    ],
    ['When anyone asks for anything, it is allowed at once.', { match: { action: '*' }, effect: 'allow' }],
    [
      'When anyone asks for anything and agent.name == "x", one of the approvers must approve.',
      { when: ' agent.name == "x" ', effect: 'require_approval' },
    ],
    [
      'When anyone asks for pay, ann@example.org, one of ann@example.org or the owners and two of finance, ops or the admins must approve, signed in themselves, within 30 minutes; it counts as high risk or more and its permit lives 2 minutes at most.',
      {
        match: { action: 'pay' },
        effect: 'require_approval',
        require: [
          { from: ['ann@example.org'], count: 1 },
          { from: ['ann@example.org', 'role:owner'], count: 1 },
          { from: ['finance', 'ops', 'role:admin'], count: 2 },
        ],
        proof_tier: 'session',
        risk_tier: 'high',
        expires_in: 1800,
        permit_ttl: 120,
      },
    ],
    [
      'When anyone asks for pay, it is allowed at once, and if a person decides after all, with a passkey.',
      { match: { action: 'pay' }, effect: 'allow', proof_tier: 'passkey' },
    ],
  ])('%s', (sentence, rule) => {
    expect(say(rule)).toBe(sentence);
  });

  test('what no rule speaks about', () => {
    const fallback = { approvers: ['finance', 'role:admin'], min_approvals: 12 };
    expect(sentenceText(explainDefault(fallback))).toBe(
      'Whatever no rule speaks about: 12 of finance or the admins must approve.',
    );
  });

  test('names and conditions are told apart from words, so that they can be shown as they are written', () => {
    const rule: PolicyRule = { name: 'x', match: { action: 'pay' }, when: 'true', effect: 'allow' };
    expect(explainRule(rule, FALLBACK)).toEqual([
      { kind: 'words', text: 'When anyone asks for ' },
      { kind: 'name', text: 'pay' },
      { kind: 'words', text: ' and ' },
      { kind: 'code', text: 'true' },
      { kind: 'words', text: ', it is ' },
      { kind: 'effect', text: 'allowed' },
      { kind: 'words', text: ' at once' },
      { kind: 'words', text: '.' },
    ]);
  });
});

test('durations are told in the largest units', () => {
  expect([1, 60, 5400, 90_061, 2_592_000, 0].map(duration)).toEqual([
    '1 second',
    '1 minute',
    '1 hour 30 minutes',
    '1 day 1 hour 1 minute 1 second',
    '30 days',
    '0 seconds',
  ]);
});

test('says where programs approve, and whom a request may name beside', () => {
  const require = [{ from: ['security'], count: 1, programs: true, or_named: ['ops', 'dba'] }];
  const rule: PolicyRule = { name: 'x', effect: 'require_approval', match: { action: 'a' }, require };
  expect(sentenceText(explainRule(rule, FALLBACK))).toBe(
    'When anyone asks for a, one of security, or of those whom the request names in ops or dba (programs too) must approve.',
  );
});
