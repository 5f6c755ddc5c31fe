import { expect, it } from 'vitest';
import { OpenSlots, type Slot } from './open-slots.ts';

const of = (credential: string, project: string): readonly Slot[] => [
  { name: `credential ${credential}`, whose: 'A credential', most: 2 },
  { name: `project ${project}`, whose: 'A project', most: 3 },
];

it('each credential and each project gets its share, whatever others hold, and never more than the total', () => {
  const slots = new OpenSlots(4);
  expect([1, 2].map(() => slots.take(of('a', 'p')))).toEqual([undefined, undefined]);
  expect(slots.take(of('a', 'p'))).toMatchObject({ name: 'credential a' });
  expect(slots.take(of('b', 'p'))).toBeUndefined();
  // Another slot for this project would leave none for others, whichever credential asks.
  expect(slots.take(of('c', 'p'))).toMatchObject({ name: 'project p' });
  expect(slots.take(of('d', 'q'))).toBeUndefined();
  expect(slots.take(of('e', 'r'))).toBe('all');
  expect(slots.taken).toBe(4);

  slots.giveBack(of('a', 'p'));
  expect(slots.taken).toBe(3);
  expect(slots.take(of('c', 'p'))).toBeUndefined();
});

it('a slot that one limit refuses does not count against the others', () => {
  const slots = new OpenSlots(10);
  for (let n = 0; n < 2; n += 1) slots.take(of('a', 'p'));
  for (let n = 0; n < 5; n += 1) slots.take(of('a', 'q'));
  expect(slots.taken).toBe(2);
  for (let n = 0; n < 2; n += 1) expect(slots.take(of('b', 'q'))).toBeUndefined();
  expect(slots.take(of('c', 'q'))).toBeUndefined();
});
