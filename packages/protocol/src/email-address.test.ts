import { expect, test } from 'vitest';
import { foldEmailAddress } from './email-address.ts';

test.each([
  ['Kate@Example.ORG', 'kate@example.org'],
  ['\u212aate@example.org', '\u212aate@example.org'],
  ['\u0130\u00dc@EXAMPLE.org', '\u0130\u00dc@example.org'],
])('%s is compared as %s', (email, folded) => {
  expect(foldEmailAddress(email)).toBe(folded);
});
