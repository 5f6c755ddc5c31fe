import { expect, test } from 'vitest';
import { box } from './box.ts';

test('lines have a frame, as wide as the longest', () => {
  expect(box(['Open this link:', 'http://x'], 80)).toBe(
    ['┌─────────────────┐', '│ Open this link: │', '│ http://x        │', '└─────────────────┘'].join('\n'),
  );
});

test('what is wider than the terminal stands between two rules, whole', () => {
  expect(box(['Open this link:', 'http://x'], 16)).toBe(
    ['────────────────', 'Open this link:', 'http://x', '────────────────'].join('\n'),
  );
});
