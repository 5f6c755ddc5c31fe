import { expect, test } from 'vitest';
import { counted } from './counted.ts';

test('one is one, and everything else is many', () => {
  expect([0, 1, 2, 1_000_000].map((count) => counted(count, 'audit record'))).toEqual([
    '0 audit records',
    '1 audit record',
    '2 audit records',
    '1,000,000 audit records',
  ]);
});
