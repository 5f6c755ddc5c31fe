import { expect, test } from 'vitest';
import { compareLabels } from './compare-labels.ts';

test('added, removed and changed labels are listed one by one, and the others are left out', () => {
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

test('every label counts as added if there was none before, and as removed if there is none after', () => {
  expect(compareLabels(null, { a: 'b' })).toEqual([{ name: 'a', after: '"b"' }]);
  expect(compareLabels({ a: 'b' }, {})).toEqual([{ name: 'a', before: '"b"' }]);
});
