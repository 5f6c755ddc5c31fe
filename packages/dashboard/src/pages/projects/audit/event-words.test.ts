import { EVENT_TYPES } from '@permitry/protocol';
import { expect, test } from 'vitest';
import { describeEvent, EVENTS_BY_GROUP } from './event-words.tsx';

test('every type of the ledger has words, and stands in the filter', () => {
  const described = [...EVENTS_BY_GROUP.values()].flat().map(({ type }) => type);
  expect(described.toSorted()).toEqual([...EVENT_TYPES].sort());
});

test('a type that nobody described yet is shown by its name', () => {
  expect(describeEvent('moon.landed', {}, 'usr_1')).toBe('moon landed');
});

test('whoever takes themselves out of a project left it', () => {
  const data = { user_id: 'usr_1', email: 'ann@example.org' };
  expect(describeEvent('member.removed', data, 'usr_1')).toBe('left the project');
  expect(describeEvent('member.removed', data, 'usr_2')).not.toBe('left the project');
});
