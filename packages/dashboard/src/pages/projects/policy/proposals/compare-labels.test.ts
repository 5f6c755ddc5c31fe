import { expect, test } from 'vitest';
import { compareLabels } from './compare-labels.ts';

test('labels that come, go or change are named one by one, and the others left out', () => {
  expect(
    compareLabels(
      { team: 'support', region: 'eu', tier: '1', old: true },
      { team: 'finance, EU', region: 'eu', tier: 1, 'new': false },
    ),
  ).toEqual([
    { name: 'new', after: 'false' },
    { name: 'old', before: 'true' },
    { name: 'team', before: '"support"', after: '"finance, EU"' },
    { name: 'tier', before: '"1"', after: '1' },
  ]);
});

test('no labels before, or none after', () => {
  expect(compareLabels(null, { a: 'b' })).toEqual([{ name: 'a', after: '"b"' }]);
  expect(compareLabels({ a: 'b' }, {})).toEqual([{ name: 'a', before: '"b"' }]);
});
