/**
 * The floor of writing: the gate's own rows of intents, with their indexes. The gate's driver inserts each row durably
 * in a separate commit, on a pool of 8.
 */
import { Pool } from 'pg';
import { statementOf } from '../../packages/server/src/storage/postgres/statements/statements.ts';
import { intentTransitions } from '../../packages/server/src/storage/queries/intent-transitions.ts';
import type { QueryRunner } from '../../packages/server/src/storage/sql/prepared-query.ts';
import { anIntent } from '../../packages/server/test/storage/conformance/samples.ts';
import { paramsOf } from '../workload.ts';

const POOL = 8;
const [url] = process.argv.slice(2);
// Both schemas have these tables, and the pool uses those of bench_floor.
const pool = new Pool({ connectionString: url, max: POOL, options: '-c search_path=bench_floor,public' });
await pool.query('create schema bench_floor');
await pool.query('create table bench_floor.intents (like public.intents including all)');
const { rows } = await pool.query('select id, project_id from agents limit 1');
const [{ id: agentId, project_id: projectId }] = rows as [{ id: string; project_id: string }];

const inserts: QueryRunner = {
  all: () => Promise.reject(new Error('the floor only inserts')),
  first: () => Promise.reject(new Error('the floor only inserts')),
  async change(query, params) {
    return (await pool.query(statementOf(query).one(params))).rowCount ?? 0;
  },
};

let inserted = 0;

async function insertRows(count: number): Promise<number> {
  const started = performance.now();
  const end = inserted + count;
  const insertOneByOne = async (): Promise<void> => {
    while (inserted < end) {
      inserted += 1;
      await intentTransitions.insertIntent(
        inserts,
        anIntent(`int_${String(inserted).padStart(26, '0')}`, {
          projectId,
          agentId,
          params: paramsOf(inserted, 'ordinary'),
        }),
      );
    }
  };
  await Promise.all(Array.from({ length: POOL }, insertOneByOne));
  return count / ((performance.now() - started) / 1000);
}

process.on('message', async (count: number) => {
  process.send?.(await insertRows(count));
});
process.once('disconnect', () => process.exit(0));
process.send?.('ready');
