import { describe, expect, test } from 'vitest';
import { EMPTY_SAMPLE, toSample, valuesMentioned } from './sample.ts';

describe('a sample request', () => {
  test('contains what was filled in, and nothing else', () => {
    expect(toSample(EMPTY_SAMPLE)).toEqual({
      intent: { action: 'payments.refund', params: { amount: 120 }, metadata: {} },
    });
    expect(toSample({ ...EMPTY_SAMPLE, params: ' ', source: 'billing', riskTier: 'high' })).toEqual({
      intent: { action: 'payments.refund', params: {}, metadata: {}, source: 'billing', risk_tier: 'high' },
    });
  });

  test('parameters that are not an object are reported with their field', () => {
    expect(toSample({ ...EMPTY_SAMPLE, params: '{ amount: 1 }' })).toEqual({
      field: 'params',
      problem: 'Expected a name in double quotes.',
    });
    expect(toSample({ ...EMPTY_SAMPLE, metadata: '[]' })).toEqual({
      field: 'metadata',
      problem: 'Must be an object: { … }',
    });
  });
});

describe('the values that a condition reads', () => {
  const request = {
    action: 'pay',
    params: { amount: 3, to: { name: 'x' } },
    agent: null,
    source: 'a'.repeat(99),
  };

  test('are listed once, with their names', () => {
    expect(
      valuesMentioned("params.amount > 5 && params.to.name == 'params.no' || params.amount < 1", request),
    ).toEqual([
      { name: 'params.amount', value: '3' },
      { name: 'params.to.name', value: '"x"' },
    ]);
  });

  test('include absent, null and long ones; functions and members of members are not variables', () => {
    expect(
      valuesMentioned('has(params.nothing) && agent.name.startsWith("x") && size(source) > 1', request),
    ).toEqual([
      { name: 'params.nothing', value: 'absent' },
      { name: 'agent.name', value: 'absent' },
      { name: 'source', value: `"${'a'.repeat(59)}… (101 characters)` },
    ]);
    expect(valuesMentioned('unknown.thing', request)).toEqual([]);
  });
});
