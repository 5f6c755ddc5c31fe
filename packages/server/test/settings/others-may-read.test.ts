/** Who may read a file with a secret besides the gate. */
import { expect, test } from 'vitest';
import { othersMayRead } from '../../src/settings/secret-setting.ts';

const GATE = 10_001;

test.each([
  ['its own', GATE, 0o100600],
  ['its own, not to be changed', GATE, 0o100400],
  // Of systemd since 254, and of Kubernetes with an fsGroup: root's, and let in by the group or an access list.
  ['handed over by root', 0, 0o100440],
  ['handed over by root, which may change it', 0, 0o100640],
])('a file that is %s is the gate’s alone', (_, uid, mode) => {
  expect(othersMayRead({ uid, mode }, GATE)).toBe(false);
});

test.each([
  ['its own and its group’s', GATE, 0o100640],
  ['its own and everybody’s', GATE, 0o100604],
  ['root’s, and everybody’s', 0, 0o100444],
  ['root’s, and its group may change it', 0, 0o100460],
  ['somebody else’s, and its group’s', 1000, 0o100640],
])('a file that is %s is not', (_, uid, mode) => {
  expect(othersMayRead({ uid, mode }, GATE)).toBe(true);
});

test('a gate that runs as root has nobody to hand it files', () => {
  expect(othersMayRead({ uid: 0, mode: 0o100440 }, 0)).toBe(true);
  expect(othersMayRead({ uid: 0, mode: 0o100400 }, 0)).toBe(false);
});
