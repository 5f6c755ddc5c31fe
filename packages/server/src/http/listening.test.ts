import { expect, test } from 'vitest';
import { addressFor } from './listening.ts';

test.each([
  ['0.0.0.0', 'http://127.0.0.1:8787'],
  ['::', 'http://[::1]:8787'],
  ['192.0.2.1', 'http://192.0.2.1:8787'],
  ['gate.example', 'http://gate.example:8787'],
])('a gate that listens on %s is reached at %s', (host, address) => {
  expect(addressFor(host, 8787)).toBe(address);
});
