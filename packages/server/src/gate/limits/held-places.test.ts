import { expect, it } from 'vitest';
import { HeldPlaces, type Place } from './held-places.ts';

const of = (credential: string, project: string): readonly Place[] => [
  { name: `credential ${credential}`, whose: 'A credential', most: 2 },
  { name: `project ${project}`, whose: 'A project', most: 3 },
];

it('gives each credential and each project its share, whatever others hold, and no more than there is in all', () => {
  const places = new HeldPlaces(4);
  expect([1, 2].map(() => places.take(of('a', 'p')))).toEqual([undefined, undefined]);
  expect(places.take(of('a', 'p'))).toMatchObject({ name: 'credential a' });
  expect(places.take(of('b', 'p'))).toBeUndefined();
  // One more of the project would leave others none, whichever credential asks.
  expect(places.take(of('c', 'p'))).toMatchObject({ name: 'project p' });
  expect(places.take(of('d', 'q'))).toBeUndefined();
  expect(places.take(of('e', 'r'))).toBe('all');
  expect(places.taken).toBe(4);

  places.giveBack(of('a', 'p'));
  expect(places.taken).toBe(3);
  expect(places.take(of('c', 'p'))).toBeUndefined();
});

it('takes nothing of the others where one is full', () => {
  const places = new HeldPlaces(10);
  for (let n = 0; n < 2; n += 1) places.take(of('a', 'p'));
  for (let n = 0; n < 5; n += 1) places.take(of('a', 'q'));
  expect(places.taken).toBe(2);
  for (let n = 0; n < 2; n += 1) expect(places.take(of('b', 'q'))).toBeUndefined();
  expect(places.take(of('c', 'q'))).toBeUndefined();
});
