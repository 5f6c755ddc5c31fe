import { describe, expect, test } from 'vitest';
import { explainDefault, explainRule } from './explain-rule.ts';
import type { PolicyRule } from './policy-document.ts';
import { sentenceText } from './sentence-parts.ts';

const FALLBACK = { approvers: ['role:approver'], min_approvals: 1 };

function say(rule: Omit<PolicyRule, 'name'>): string {
  return sentenceText(explainRule({ name: 'x', ...rule }, FALLBACK));
}

describe('a rule as a sentence', () => {
  test.each<[string, Omit<PolicyRule, 'name'>]>([
    [
      'When anyone requests payments.refund and params.amount > 5000, it requires 2 approvals from finance and 1 from security, given with a passkey.',
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
      'When an AI agent or a CI job named deploy-bot or ci-* requests deploy.*, db.migrate or db.drop with a requested risk of high or critical, it is denied. “Not by a machine.”',
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
    ['When anyone requests any action, it is allowed.', { match: { action: '*' }, effect: 'allow' }],
    [
      'When anyone requests any action and agent.name == "x", it requires 1 approval from an approver (or higher role).',
      { when: ' agent.name == "x" ', effect: 'require_approval' },
    ],
    [
      'When anyone requests pay, it requires 1 approval from ann@example.org, 1 from ann@example.org or an owner and 2 from finance, ops or admins (or higher roles), given in a signed-in session, within 30 minutes. Its risk is at least high. Its permit is valid for at most 2 minutes.',
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
      'When anyone requests pay, it is allowed, but its proof of presence requires approval with a passkey.',
      { match: { action: 'pay' }, effect: 'allow', proof_tier: 'passkey' },
    ],
  ])('%s', (sentence, rule) => {
    expect(say(rule)).toBe(sentence);
  });

  test('the default as a sentence', () => {
    const fallback = { approvers: ['finance', 'role:admin'], min_approvals: 12 };
    expect(sentenceText(explainDefault(fallback))).toBe(
      'If no rule matches, a request requires 12 approvals from finance or admins (or higher roles).',
    );
  });

  test('names and conditions are parts of their own, so that they can be shown as they are written', () => {
    const rule: PolicyRule = { name: 'x', match: { action: 'pay' }, when: 'true', effect: 'allow' };
    expect(explainRule(rule, FALLBACK)).toEqual([
      { kind: 'words', text: 'When anyone requests ' },
      { kind: 'name', text: 'pay' },
      { kind: 'words', text: ' and ' },
      { kind: 'code', text: 'true' },
      { kind: 'words', text: ', it is ' },
      { kind: 'effect', text: 'allowed' },
      { kind: 'words', text: '.' },
    ]);
  });
});

test('the sentence says where programs can approve, and whom a request may also name', () => {
  const require = [{ from: ['security'], count: 1, programs: true, or_named: ['ops', 'dba'] }];
  const rule: PolicyRule = { name: 'x', effect: 'require_approval', match: { action: 'a' }, require };
  expect(sentenceText(explainRule(rule, FALLBACK))).toBe(
    'When anyone requests a, it requires 1 approval from security, or from members of ops or dba whom the request names (programs can approve too).',
  );
});
