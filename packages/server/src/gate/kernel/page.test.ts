import { expect, test } from 'vitest';
import { GateError } from './errors.ts';
import { pageByIds, pageLimit, pageOfSet } from './page.ts';

test.each([0, -1, 201, 1.5, Number.NaN])('a limit of %s is refused', (limit) => {
  expect(() => pageLimit({ limit })).toThrow(GateError);
});

test('a set is paged newest first, and its cursor stays valid while members come and go', () => {
  const page = pageOfSet({ limit: 2 }, ['b', 'd', 'a', 'c'], (item) => item);
  expect(page).toEqual({ items: ['d', 'c'], nextCursor: 'c' });
  const next = pageOfSet({ limit: 2, cursor: 'c' }, ['e', 'b', 'd', 'a'], (item) => item);
  expect(next).toEqual({ items: ['b', 'a'], nextCursor: null });
});

test('a page that ends exactly at the last row has no next page', async () => {
  const rows = [{ id: 'agt_2' }, { id: 'agt_1' }];
  expect(await pageByIds({ limit: 2 }, 'agt_', async () => rows)).toEqual({ items: rows, nextCursor: null });
});

test('a cursor of another kind is refused', async () => {
  await expect(pageByIds({ cursor: 'key_1' }, 'agt_', async () => [])).rejects.toMatchObject({
    code: 'invalid_fields',
    details: { fields: [{ path: '/cursor' }] },
  });
});
