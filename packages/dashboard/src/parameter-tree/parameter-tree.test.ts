import type { JsonObject, JsonValue } from '@permitry/protocol';
import { describe, expect, test } from 'vitest';
import { findChanges } from './difference.ts';
import { moveIn } from './tree-keys.ts';
import { openAll, openAtFirst, sayShown, toRows } from './tree-rows.ts';
import { findWordChanges } from './word-difference.ts';

const SAMPLE: JsonObject = {
  amount: 120.5,
  empty: {},
  items: [{ sku: 'a', count: 0 }, null, ''],
  'we/ird~name': false,
};

describe('rows of a tree', () => {
  test('show each value once, with its kind and position', () => {
    const rows = toRows(SAMPLE, openAtFirst(SAMPLE)).map((row) =>
      row.kind === 'more' || row.kind === 'table'
        ? row
        : [row.pointer, row.level, row.kind, row.count, row.isOpen, row.position, row.siblings],
    );
    expect(rows).toEqual([
      ['/amount', 1, 'number', null, false, 1, 4],
      ['/empty', 1, 'object', 0, false, 2, 4],
      ['/we~1ird~0name', 1, 'boolean', null, false, 3, 4],
      ['/items', 1, 'array', 3, true, 4, 4],
      ['/items/0', 2, 'object', 2, true, 1, 3],
      ['/items/0/sku', 3, 'string', null, false, 1, 2],
      ['/items/0/count', 3, 'number', null, false, 2, 2],
      ['/items/1', 2, 'null', null, false, 2, 3],
      ['/items/2', 2, 'string', null, false, 3, 3],
    ]);
  });

  test('leave out the children of closed values, and count the rest of a long list', () => {
    const long = { list: Array.from({ length: 250 }, (_, index) => index) };
    expect(toRows(long, new Map([['', 100]]))).toHaveLength(1);
    const rows = toRows(
      long,
      new Map([
        ['', 100],
        ['/list', 100],
      ]),
    );
    expect(rows).toHaveLength(102);
    expect(rows.at(-1)).toEqual({
      kind: 'more',
      pointer: '/list',
      level: 2,
      name: 'list',
      count: 250,
      shown: 100,
      isTable: false,
    });
  });

  test('show plain and empty values before those with children', () => {
    const params = { a: { z: [1], b: 2, e: [] }, rows: [1], table: 'orders', x: {} };
    const rows = toRows(params, openAll(params)).map((row) => row.pointer);
    expect(rows).toEqual(['/table', '/x', '/a', '/a/b', '/a/e', '/a/z', '/a/z/0', '/rows', '/rows/0']);
  });

  test('show a list of similar objects as a table with a row count', () => {
    const params = {
      rows: Array.from({ length: 2500 }, (_, id) => ({ id, ...(id % 2 === 0 && { name: `n${id}` }) })),
      table: 'orders',
    };
    const rows = toRows(params, openAtFirst(params));
    expect(rows).toMatchObject([
      { pointer: '/table' },
      { pointer: '/rows', isOpen: true, isTable: true, count: 2500, shown: 20 },
      { kind: 'table', pointer: '/rows', name: 'rows', columns: ['id', 'name'], count: 2500 },
      { kind: 'more', pointer: '/rows', name: 'rows', count: 2500, shown: 20, isTable: true },
    ]);
    expect(rows[2]).toHaveProperty('items.length', 20);
    expect(toRows(params, new Map([['', 100]])).map(({ kind }) => kind)).toEqual(['string', 'array']);
    expect(sayShown({ count: 2500, shown: 20, isTable: true })).toBe('2,500 rows, 20 shown');
  });

  test.each<[string, JsonValue[]]>([
    ['one object', [{ a: 1 }]],
    ['objects with nothing in common', [{ a: 1 }, { b: 1 }, { c: 1 }]],
    ['objects that hold more', [{ a: [1] }, { a: [2] }]],
    ['empty objects', [{}, {}]],
    ['other values between them', [{ a: 1 }, 2, { a: 3 }]],
    ['lists', [[1], [2]]],
    ['too many columns', [0, 1].map(() => Object.fromEntries(Array.from({ length: 25 }, (_, n) => [n, n])))],
  ])('%s are not a table', (_what, list) => {
    expect(toRows({ list }, openAll({ list })).some(({ kind }) => kind === 'table')).toBe(false);
  });

  test('are open level by level at first, up to a limit', () => {
    const wide = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`m${index}`, { a: 1, b: 2, c: 3, d: 4, e: 5 }]),
    );
    const rows = toRows(wide, openAtFirst(wide));
    expect(rows.length).toBeGreaterThan(50);
    expect(rows.length).toBeLessThanOrEqual(120);
    expect(toRows(wide, openAll(wide))).toHaveLength(300);
  });

  test('can be nested as deeply as the gate allows', () => {
    let deep: JsonValue = 'end';
    for (let level = 0; level < 64; level += 1) deep = { next: deep };
    expect(toRows(deep, openAll(deep)).at(-1)).toMatchObject({ level: 64, value: 'end' });
  });
});

describe('the differences', () => {
  test('are empty for equal values', () => {
    expect(findChanges(SAMPLE, structuredClone(SAMPLE))).toEqual([]);
  });

  test('list values that were added, removed and changed', () => {
    const after: JsonObject = { ...SAMPLE, amount: 1205, items: [{ sku: 'b', count: 0 }, null], more: [] };
    expect(findChanges(SAMPLE, after)).toEqual([
      {
        kind: 'changed',
        path: ['amount'],
        before: 120.5,
        after: 1205,
        delta: { by: '+1084.5', relative: '×10' },
      },
      { kind: 'changed', path: ['items', 0, 'sku'], before: 'a', after: 'b', delta: null },
      { kind: 'removed', path: ['items', 2], before: '' },
      { kind: 'added', path: ['more'], after: [] },
    ]);
  });

  test('tell kinds apart: null, empty, "1" and 1, [] and {}', () => {
    const before: JsonObject = { a: null, b: '1', c: [], d: 0, e: 'x' };
    const after: JsonObject = { a: '', b: 1, c: {}, d: false, e: null };
    expect(findChanges(before, after).map(({ path }) => path[0])).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test.each([
    [100, 112, '+12', '+12 %'],
    [100, 10, '−90', '÷10'],
    [0.1, 0.3, '+0.2', '×3'],
    [0, 5, '+5', null],
    [-5, 5, '+10', null],
  ])('%d to %d is %s, %s', (before, after, by, relative) => {
    expect(findChanges({ n: before }, { n: after })).toMatchObject([{ delta: { by, relative } }]);
  });
});

describe('words', () => {
  test('find the words that changed', () => {
    expect(findWordChanges('pay Ann 10 EUR', 'pay Bob 10 EUR now')).toEqual([
      { kind: 'same', text: 'pay ' },
      { kind: 'removed', text: 'Ann' },
      { kind: 'added', text: 'Bob' },
      { kind: 'same', text: ' 10 EUR' },
      { kind: 'added', text: ' now' },
    ]);
  });

  test('contain both texts, character by character', () => {
    const before = 'a b,c  d\u200be <b>f</b> 100';
    const after = 'a c,d \u202ee <i>f</i> 1000';
    const parts = findWordChanges(before, after) ?? [];
    const without = (kind: string) => parts.filter((part) => part.kind !== kind).map(({ text }) => text);
    expect(without('added').join('')).toBe(before);
    expect(without('removed').join('')).toBe(after);
  });

  test('are not compared in very long texts or texts with nothing in common', () => {
    expect(findWordChanges('abc', 'xyz')).toBeNull();
    expect(findWordChanges('a '.repeat(1000), 'a '.repeat(1001))).toBeNull();
  });

  test.each([
    ['Refund order A-4711 to Ann', 'Delete order log of 2025 for Bob, please'],
    ['a b c d e f g', 'a B C D E F G'],
  ])('are not compared in texts that are less than 40 % alike: %s', (before, after) => {
    expect(findWordChanges(before, after)).toBeNull();
  });

  test('are compared in texts that are at least 40 % alike', () => {
    expect(findWordChanges('aa bb cc dd ee', 'aa bb xx yy zz')).not.toBeNull();
    expect(findWordChanges('   ', '  ')).not.toBeNull();
  });
});

describe('keys', () => {
  const rows = toRows(SAMPLE, openAtFirst(SAMPLE));
  test.each([
    ['ArrowDown', 0, { kind: 'focus', index: 1 }],
    ['ArrowUp', 0, { kind: 'focus', index: 0 }],
    ['End', 0, { kind: 'focus', index: 8 }],
    ['Home', 5, { kind: 'focus', index: 0 }],
    ['ArrowRight', 3, { kind: 'focus', index: 4 }],
    ['ArrowLeft', 3, { kind: 'toggle' }],
    ['ArrowLeft', 5, { kind: 'focus', index: 4 }],
    ['ArrowRight', 0, undefined],
    ['Enter', 1, undefined],
    [' ', 3, { kind: 'toggle' }],
    ['x', 0, undefined],
  ])('%j on row %i', (key, current, move) => {
    expect(moveIn(rows, current, key)).toEqual(move);
  });
});
