/** Whether a file with a secret can be read by anyone besides the gate. */
import { expect, test } from 'vitest';
import { othersMayRead } from '../../src/settings/secret-setting.ts';

const GATE = 10_001;

test.each([
  ['its own', GATE, 0o100600],
  ['its own and read-only', GATE, 0o100400],
  // systemd since 254 and Kubernetes with an fsGroup: root owns the file, and the group or an access list lets the gate in.
  ['handed over by root', 0, 0o100440],
  ['handed over by root and writable only by root', 0, 0o100640],
])('only the gate may read a file that is %s', (_, uid, mode) => {
  expect(othersMayRead({ uid, mode }, GATE)).toBe(false);
});

test.each([
  ['its own and readable by its group', GATE, 0o100640],
  ['its own and readable by everyone', GATE, 0o100604],
  ['root’s and readable by everyone', 0, 0o100444],
  ['root’s and writable by its group', 0, 0o100460],
  ['another user’s and readable by its group', 1000, 0o100640],
])('others may read a file that is %s', (_, uid, mode) => {
  expect(othersMayRead({ uid, mode }, GATE)).toBe(true);
});

test('when the gate runs as root, others may read a file that its group may read', () => {
  expect(othersMayRead({ uid: 0, mode: 0o100440 }, 0)).toBe(true);
  expect(othersMayRead({ uid: 0, mode: 0o100400 }, 0)).toBe(false);
});
