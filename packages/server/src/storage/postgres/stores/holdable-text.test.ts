import { expect, it } from 'vitest';
import { prepare, type QueryRunner } from '../../sql/prepared-query.ts';
import { HoldableText } from './holdable-text.ts';

const findName = prepare((db, $: { id: string; limit: number }) =>
  db.selectFrom('projects').select('name').where('id', '=', $.id).limit($.limit),
);

it('a text with U+0000 finds nothing, is not written, and is never sent', async () => {
  const sent: object[] = [];
  const note = async (_: unknown, params: object) => {
    sent.push(params);
    return [];
  };
  const runner: QueryRunner = {
    all: note,
    first: async (query, params) => (await note(query, params))[0],
    change: async (query, params) => (await note(query, params)).length,
  };
  const run = new HoldableText(runner);
  const odd = { id: 'a\u0000b', limit: 1 };
  expect(await run.all(findName, odd)).toEqual([]);
  expect(await run.first(findName, odd)).toBeUndefined();
  await expect(run.change(findName, odd)).rejects.toMatchObject({ code: 'invalid_fields' });
  expect(sent).toEqual([]);
  const plain = { id: 'a\\u0000b', limit: 1 };
  await run.all(findName, plain);
  await run.first(findName, plain);
  await run.change(findName, plain);
  expect(sent).toEqual([plain, plain, plain]);
});
