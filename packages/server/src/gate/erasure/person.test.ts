import { expect, it } from 'vitest';
import { namesPerson, namesPersonIn } from './person.ts';

const ANN = { email: 'ann@example.org', userId: null };

it.each([
  'ann@example.org',
  'Ann@Example.ORG',
  'ann@example.org through nightly job',
  'write to <ann@example.org>.',
  '"ann@example.org",bob@example.org',
  'mailto:ann@example.org?subject=x',
  'first\nann@example.org',
  'joann@example.org and ann@example.org',
])('%s names the person', (text) => {
  expect(namesPerson(text, ANN)).toBe(true);
});

it.each([
  '',
  'ann',
  'joann@example.org',
  'jo.ann@example.org',
  'jo+ann@example.org',
  'ann@example.org.uk',
  'ann@example.organic',
  'ann@example.org-chart',
  'ännann@example.org',
])('%s names another person, or none', (text) => {
  expect(namesPerson(text, ANN)).toBe(false);
});

it('a person is found in texts and member names at any depth, even behind an escape', () => {
  expect(namesPersonIn({ a: [1, null, { b: 'line\nann@example.org' }] }, ANN)).toBe(true);
  expect(namesPersonIn({ 'ann@example.org': true }, ANN)).toBe(true);
  expect(namesPersonIn({ a: [1, true, null, 'joann@example.org'] }, ANN)).toBe(false);
});
