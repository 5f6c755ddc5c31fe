import { EVENT_TYPES } from '@permitry/protocol';
import { renderToStaticMarkup } from 'react-dom/server';
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

function said(type: string, data: Record<string, unknown>): string {
  return renderToStaticMarkup(describeEvent(type, data, 'usr_1'));
}

test('a text of others is shown as one, and one that was erased says so', () => {
  expect(said('agent.registered', { name: 'bot' })).toBe(
    'registered the agent <bdi class="inert" dir="ltr">bot</bdi>',
  );
  expect(said('agent.registered', {})).toBe('registered the agent <span class="soft">(erased)</span>');
});

test('what stands in braces in a text of others fills no place', () => {
  expect(said('agent.registered', { name: '{code kid}', kid: 'k1' })).toContain('>{code kid}</bdi>');
});

test('a reason stands behind a colon, and no reason leaves no trace', () => {
  expect(said('intent.denied', { reason: 'Too much.' })).toContain(': “<bdi class="inert"');
  expect(said('intent.denied', { reason: null })).toBe('denied the request');
});
