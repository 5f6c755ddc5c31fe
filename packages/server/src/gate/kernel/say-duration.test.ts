import { expect, test } from 'vitest';
import { sayDuration } from './say-duration.ts';

test.each([
  [1, '1 second'],
  [120, '120 seconds'],
  [121, '3 minutes'],
  [900, '15 minutes'],
  [7201, '3 hours'],
])('%i seconds are written as %s', (seconds, text) => {
  expect(sayDuration(seconds)).toBe(text);
});
