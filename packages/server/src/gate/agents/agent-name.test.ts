import { expect, test } from 'vitest';
import { toAgentName } from './agent-name.ts';

test.each(['refund-bot', 'Refund bot 2', 'team/billing:v1.2', 'bot #2 (staging)', 'a', `a${'b'.repeat(99)}`])(
  '%s is a valid name',
  (name) => {
    expect(toAgentName(name)).toBe(name);
  },
);

test('space around a name is not part of it', () => {
  expect(toAgentName('  refund-bot ')).toBe('refund-bot');
});

test.each([
  ['nothing', ''],
  ['only space', '   '],
  ['too long', 'a'.repeat(101)],
  ['a double space', 'refund  bot'],
  ['a line break', 'refund\nbot'],
  ['a zero-width character', 'refund\u200bbot'],
  ['a character that changes the writing direction', 'refund\u202etob'],
  ['a Cyrillic letter that looks Latin', 'refund-b\u043et'],
  ['full-width letters', '\uff52\uff45\uff46'],
  ["a person's address", 'ann@example.org'],
  ['a policy', 'policy:refunds'],
  ['a role, in capitals', 'ROLE:approver'],
  ['the id of another agent', 'agt_01kaftx2q8n5m9y0a3v7c1d4ez'],
  ['the name of the gate itself', 'System'],
])('%s is not a valid name', (_, text) => {
  expect(toAgentName(text)).toBeUndefined();
});
