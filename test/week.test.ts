/** The week by which standing approvals are measured. Its distribution must not change. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { makeWeek, type WeekRequest } from '../examples/week/week.ts';

const shareOf = (week: readonly WeekRequest[], isMeant: (request: WeekRequest) => boolean): number =>
  week.filter(isMeant).length / week.length;

test('a seed makes the same week on every machine', () => {
  const hash = createHash('sha256')
    .update(JSON.stringify(makeWeek(1)))
    .digest('hex');
  expect(hash).toBe('99b8de690c4486b7bd5412a7f94a39c10fdcb54f11c05d2a6ce8161fd9e49809');
  expect(makeWeek(2)).not.toEqual(makeWeek(1));
});

describe.each([1, 2, 3, 4, 5])('the week of seed %i', (seed) => {
  const week = makeWeek(seed);

  test('has 2,000 requests of five agents, in the order of their times, within seven days', () => {
    expect(week).toHaveLength(2000);
    expect(new Set(week.map(({ agent }) => agent)).size).toBe(5);
    const times = week.map(({ at }) => at);
    expect(times).toEqual(times.toSorted());
    expect(times[0]?.slice(0, 10)).toBe('2026-11-16');
    expect(times.at(-1)?.slice(0, 10)).toBe('2026-11-22');
  });

  test('has 15 % unusual requests, and 3 % that its person denies, which are all unusual', () => {
    expect(shareOf(week, ({ oddity }) => oddity !== null)).toBe(0.15);
    expect(shareOf(week, ({ decision }) => decision === 'deny')).toBe(0.03);
    expect(week.filter(({ decision, oddity }) => decision === 'deny' && oddity === null)).toEqual([]);
  });

  test('has usual amounts that are log-normal within the limit, and large ones above it', () => {
    const amounts = (oddity: WeekRequest['oddity']) =>
      week
        .filter((request) => request.agent === 'billing-bot' && request.oddity === oddity)
        .map(({ params }) => Number(params.amount));
    const usual = amounts(null);
    const logs = usual.map(Math.log);
    const mean = logs.reduce((a, b) => a + b) / logs.length;
    // The mean is slightly below ln 18, because the distribution with sigma 0.6 is cut off at ln 50.
    expect(mean).toBeGreaterThan(Math.log(18) - 0.15);
    expect(mean).toBeLessThan(Math.log(18) + 0.05);
    expect(Math.max(...usual)).toBeLessThanOrEqual(50);
    expect(Math.min(...amounts('large'))).toBeGreaterThan(50);
  });

  test('has a parameter that is new from the fourth day on', () => {
    const first = week.find(({ params }) => 'rush' in params);
    expect(first?.at.slice(0, 10)).toBe('2026-11-19');
    expect(first?.oddity).toBe('new_parameter');
  });
});
