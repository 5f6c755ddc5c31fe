import { expect, test } from 'vitest';
import { box } from './box.ts';

test('a box is as wide as its longest line', () => {
  expect(box(['Open this link:', 'http://x'], 80)).toBe(
    ['┌─────────────────┐', '│ Open this link: │', '│ http://x        │', '└─────────────────┘'].join('\n'),
  );
});

test('lines wider than the terminal are printed whole between two rules', () => {
  expect(box(['Open this link:', 'http://x'], 16)).toBe(
    ['────────────────', 'Open this link:', 'http://x', '────────────────'].join('\n'),
  );
});
