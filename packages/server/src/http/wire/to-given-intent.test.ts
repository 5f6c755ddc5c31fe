import { expect, test } from 'vitest';
import { readGivenIntent, toGivenIntent } from './to-given-intent.ts';

test('a given intent’s omitted members stay omitted', () => {
  expect(Object.keys(toGivenIntent({ action: 'deploy' })).sort()).toEqual(['action', 'params']);
});

test('a given intent is converted to the gate’s names', () => {
  const given = {
    action: 'deploy',
    params: { to: 'prod' },
    metadata: { ticket: 'T-1' },
    source_type: 'ci' as const,
    agent_id: 'agt_01m7wd7tg0ac1a3ag8yk13r47n',
    at: '2026-01-01T00:00:00.000Z',
    risk_tier: 'high' as const,
  };
  expect(readGivenIntent(given)).toEqual({
    action: 'deploy',
    params: { to: 'prod' },
    metadata: { ticket: 'T-1' },
    sourceType: 'ci',
    agentId: 'agt_01m7wd7tg0ac1a3ag8yk13r47n',
    at: '2026-01-01T00:00:00.000Z',
    riskTier: 'high',
  });
});

test('a text that is not an intent is refused with the path of each problem', () => {
  const read = readGivenIntent({ params: 7, risk_tier: 'none' });
  expect(read).toHaveProperty('problems');
  if (!('problems' in read)) return;
  expect(read.problems.map(({ path }) => path)).toEqual(expect.arrayContaining(['/params', '/risk_tier']));
});
