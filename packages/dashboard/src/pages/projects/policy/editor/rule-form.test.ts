import { expect, test } from 'vitest';
import type { PolicyRule } from '../document/policy-document.ts';
import { NEW_RULE, namesIn, toForm, toRule } from './rule-form.ts';

test('a rule does not change on its way into the form and back', () => {
  const rule: PolicyRule = {
    name: 'big refunds',
    match: {
      action: 'payments.refund | payments.payout',
      source_type: 'ci',
      source: 'a*',
      risk_tier: 'high',
    },
    when: 'params.amount > 5000',
    effect: 'require_approval',
    reason: 'Large.',
    require: [
      { from: ['finance', 'ann@example.org'], count: 2 },
      { from: ['security'], count: 1, programs: true, or_named: ['ops', 'dba'] },
    ],
    risk_tier: 'high',
    proof_tier: 'passkey',
    expires_in: 1800,
    permit_ttl: 120,
  };
  expect(toRule(toForm(rule))).toEqual(rule);
  expect(toRule(toForm(NEW_RULE))).toEqual(NEW_RULE);
});

test('empty fields are left out of the rule, and a list is shown as one text', () => {
  const form = toForm({
    name: ' x ',
    match: { action: ['a', 'b|c'] },
    when: '  ',
    effect: 'deny',
    reason: '',
  });
  expect(form.action).toBe('a | b | c');
  expect(toRule(form)).toEqual({ name: 'x', match: { action: 'a | b | c' }, effect: 'deny' });
});

test('a rule contains approvers only if it requires approval and they are filled in', () => {
  const form = toForm({ ...NEW_RULE, require: [{ from: ['finance'], count: 1 }] });
  expect(toRule({ ...form, effect: 'deny' })).not.toHaveProperty('require');
  expect(
    toRule({ ...form, require: [{ from: ' ', count: '1', programs: true, orNamed: 'ops' }] }),
  ).not.toHaveProperty('require');
});

test('names are split at commas and spaces, and duplicates are dropped', () => {
  expect(namesIn(' finance,  ann@example.org finance\nrole:admin')).toEqual([
    'finance',
    'ann@example.org',
    'role:admin',
  ]);
});
