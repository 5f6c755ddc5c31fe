import { expect, test } from 'vitest';
import { toEmailAddress } from './email-address.ts';

test.each([
  [' Ann@Example.ORG ', 'ann@example.org'],
  ['owner@localhost', 'owner@localhost'],
  ["o'brien+tag@mail.example.org", "o'brien+tag@mail.example.org"],
  ['zu\u0308rich@b\u00fccher.example', 'z\u00fcrich@b\u00fccher.example'],
  // Only ASCII is lower-cased, because case folding of other letters differs between systems.
  ['\u00dc\u0130@EXAMPLE.org', '\u00dc\u0130@example.org'],
])('%s is normalised to %s', (text, email) => {
  expect(toEmailAddress(text)).toBe(email);
});

test.each([
  '',
  'ann',
  '@example.org',
  'ann@',
  'ann@@example.org',
  'ann@example..org',
  'ann@-example.org',
  'ann@example.org.',
  'ann smith@example.org',
  'ann@exa mple.org',
  'Ann <ann@example.org>',
  'ann@example.org,bob@example.org',
  '"ann"@example.org',
  'ann@[127.0.0.1]',
  'ann\u200b@example.org',
  'ann\u202e@example.org',
  'ann\n@example.org',
  // The compatibility form (NFKC) of these addresses contains ASCII letters, digits or signs that the addresses do not.
  '\u212aate@example.org',
  'kate@\u212aonto.example',
  '\uff41nn@example.org',
  'ann@example\uff0eorg',
  'ann\uff20example.org',
  'a\u017fh@example.org',
  'o\ufb03ce@example.org',
  'ann\u00b2@example.org',
  'ann\u2460@example.org',
  '\u{1d41a}nn@example.org',
  `${'a'.repeat(65)}@example.org`,
  `ann@${'a.'.repeat(125)}org`,
])('%j is not an address', (text) => {
  expect(toEmailAddress(text)).toBeUndefined();
});
