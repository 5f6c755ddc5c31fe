import { expect, test } from 'vitest';
import { firstOfEach, prepare, type QueryRunner } from './prepared-query.ts';

test('a page whose reads and lock both fail is refused once, without an unhandled rejection', async () => {
  const findProject = prepare((db, $: { id: string }) =>
    db.selectFrom('projects').select('id').where('id', '=', $.id),
  );
  const failing: QueryRunner = {
    all: () => Promise.reject(new Error('no page')),
    first: () => Promise.reject(new Error('no row')),
    change: () => Promise.reject(new Error('no change')),
    underOneLock(ask) {
      ask();
      throw new Error('no lock');
    },
  };
  const left: unknown[] = [];
  const note = (reason: unknown): void => void left.push(reason);
  process.on('unhandledRejection', note);
  expect(() => firstOfEach(failing, findProject, [{ id: 'prj_1' }])).toThrow('no lock');
  await new Promise(setImmediate);
  process.off('unhandledRejection', note);
  expect(left).toEqual([]);
});
