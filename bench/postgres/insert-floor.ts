/** The floor of writing: rows of an intent's size, each inserted durably by itself, by the gate's driver on a pool of 8. */
import { Pool } from 'pg';
import { createBody } from '../workload.ts';

const POOL = 8;
const [url] = process.argv.slice(2);
const pool = new Pool({ connectionString: url, max: POOL });
await pool.query(`
  create schema bench_floor;
  create table bench_floor.rows (
    id text collate "C" primary key, project_id text not null, status text not null, created_at text not null, body text not null
  )`);

let inserted = 0;

async function insertRows(count: number): Promise<number> {
  const started = performance.now();
  const end = inserted + count;
  const insertOneByOne = async (): Promise<void> => {
    while (inserted < end) {
      inserted += 1;
      const id = `int_${String(inserted).padStart(26, '0')}`;
      await pool.query({
        name: 'insert',
        text: 'insert into bench_floor.rows values ($1, $2, $3, $4, $5)',
        values: [id, 'prj_1', 'pending', new Date().toISOString(), createBody(inserted)],
      });
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
