import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../json.ts';
import { isUnmarked, rowObstacle } from './list-row.ts';

const of = (params: JsonObject, metadata: JsonObject = {}, action = 'mail.send', names = ['mailer']) =>
  rowObstacle({ action, params, metadata, names });

describe('a request that a row shows whole and unmarked', () => {
  test.each<[string, JsonObject, JsonObject?]>([
    ['no parameters', {}],
    ['a few values', { order: 'A-4711', amount: 120.5, express: true, note: null }],
    ['a list and an object', { to: ['ann@example.org', 'bob@example.org'], by: { name: 'Zoë' } }],
    ['other alphabets', { an: 'Мария Иванова', in: '東京', to: 'יוסי' }],
    ['a reason', {}, { reason: 'The customer asked.' }],
    ['several members without an explanation', {}, { ticket: 'T-1', run: 7 }],
    ['as long as a row allows', { a: 'x'.repeat(160 - 'a: ""'.length) }],
    ['twelve values', { list: Array.from({ length: 12 }, (_, n) => n) }],
  ])('%s', (_what, params, metadata) => {
    expect(of(params, metadata)).toBeUndefined();
  });
});

describe('a request that a row would cut', () => {
  test.each<[string, JsonObject, JsonObject?]>([
    ['one character too long', { a: 'x'.repeat(161 - 'a: ""'.length) }],
    ['a value too many', { list: Array.from({ length: 13 }, (_, n) => n) }],
    ['too deep', { a: { b: [1] } }],
    ['too deep, and empty there', { a: { b: {} } }],
    ['a reason, and further members that no row shows', {}, { reason: 'The customer asked.', ticket: 'T-1' }],
    ['rows of a table', { rows: Array.from({ length: 2500 }, (_, id) => ({ id })) }],
    ['a long reason', {}, { reason: 'x'.repeat(281) }],
    ['much metadata', {}, { reason: 'ok', log: 'x'.repeat(2000) }],
  ])('%s', (_what, params, metadata) => {
    expect(of(params, metadata)).toBe('cut');
  });
});

describe('a request in which a row marks something', () => {
  test.each<[string, JsonObject, JsonObject?, string?, string[]?]>([
    ['an invisible character', { to: 'bob\u200b@example.org' }],
    ['a direction mark', { to: 'a\u202eb' }],
    ['an odd space', { to: 'a\u00a0b' }],
    ['a look-alike letter', { to: 'p\u0430ypal' }],
    ['a look-alike sign', { host: 'bank.example\u2215login' }],
    ['a control character', { to: 'a\u0007' }],
    ['a line break', { to: 'one\ntwo' }],
    ['the name of a parameter', { 'to\u2066': 1 }],
    ['the metadata', {}, { more: 'a\u200bb' }],
    ['the action', {}, {}, 'mail.\u0455end'],
    ['the name of the requester', {}, {}, 'mail.send', ['mailer', 'm\u0430iler']],
  ])('%s', (_what, params, metadata, action, names) => {
    expect(of(params, metadata, action, names)).toBe('marked');
  });
});

test('a text is unmarked when a row draws it unchanged', () => {
  expect(['plain', 'Zoë', 'two\nlines', 'a\u200bb'].map(isUnmarked)).toEqual([true, true, false, false]);
});
