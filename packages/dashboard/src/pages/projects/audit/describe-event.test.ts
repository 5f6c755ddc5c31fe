import { EVENT_TYPES } from '@permitry/protocol';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { describeEvent, EVENTS_BY_GROUP } from './describe-event.tsx';

test('every event type has a label and a sentence', () => {
  const described = [...EVENTS_BY_GROUP.values()].flat().map(({ type }) => type);
  expect(described.toSorted()).toEqual([...EVENT_TYPES].sort());
});

test('an event type without a sentence is shown by its name', () => {
  expect(describeEvent('moon.landed', {}, 'usr_1')).toBe('moon landed');
});

test('a person who removes themselves from a project left it', () => {
  const data = { user_id: 'usr_1', email: 'ann@example.org' };
  expect(describeEvent('member.removed', data, 'usr_1')).toBe('left the project');
  expect(describeEvent('member.removed', data, 'usr_2')).not.toBe('left the project');
  expect(said('member.added', { ...data, role: 'viewer' })).toBe('joined the project as viewer');
});

function said(type: string, data: Record<string, unknown>): string {
  return renderToStaticMarkup(describeEvent(type, data, 'usr_1'));
}

test('a text that others wrote is shown as inert text, and an erased one as erased', () => {
  expect(said('agent.registered', { name: 'bot' })).toBe(
    'registered the agent <bdi class="inert" dir="ltr">bot</bdi>',
  );
  expect(said('agent.registered', {})).toBe('registered the agent <span class="soft">(erased)</span>');
});

test('a placeholder in a text that others wrote is not filled', () => {
  expect(said('agent.registered', { name: '{code kid}', kid: 'k1' })).toContain('>{code kid}</bdi>');
});

test('a reason follows a colon, and without a reason there is no colon', () => {
  expect(said('intent.denied', { reason: 'Too much.' })).toContain(': “<bdi class="inert"');
  expect(said('intent.denied', { reason: null })).toBe('denied the request');
});
