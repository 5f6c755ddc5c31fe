/**
 * `node bench/simulate/seed-past.ts DIRECTORY COUNT`: a gate whose one project has created this many intents. A few are
 * created through the gate; the others are copies of their rows with other ids, amounts and times.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { databaseFile, initialiseGate, openGate, putPolicy } from '@permitry/server';
import { authenticateKey } from '../../packages/server/src/gate/access/authenticate-key.ts';
import { submitIntent } from '../../packages/server/src/gate/intents/submit.ts';
import { ACTION, BASE_URL, POLICY, paramsOf } from '../workload.ts';

const [directory = '', countText = '0'] = process.argv.slice(2);
const TEMPLATES = 1000;

const opened = await openGate({ database: { directory: directory }, issuer: BASE_URL });
const made = await initialiseGate(opened.gate, {
  mode: 'test',
  projectName: 'bench',
  ownerEmail: 'owner@localhost',
});
const operator = { kind: 'operator', credentialId: 'operator', display: 'bench' } as const;
await putPolicy(opened.gate, operator, { projectId: made.project_id, document: POLICY });
const { caller } = await authenticateKey(opened.gate, made.agent_key);
for (let index = 0; index < TEMPLATES; index += 1) {
  await submitIntent(opened.gate, caller, {
    action: index % 10 === 0 ? 'mail.send' : ACTION,
    params: paramsOf(index, index % 3 === 0 ? 'lasting' : 'ordinary'),
    metadata: { ticket: `T-${index}` },
  });
}
await opened.close();

const database = new DatabaseSync(databaseFile(directory));
const columns = database
  .prepare("select name from pragma_table_info('intents') where name not in ('seq', 'id', 'params')")
  .all()
  .map(({ name }) => String(name))
  .join(', ');
database.exec('begin');
database.exec(
  `insert into intents (id, params, ${columns})
   with recursive n (i) as (select ${TEMPLATES} union all select i + 1 from n where i < ${Number(countText) - 1})
   select 'int_' || printf('%026d', n.i), json_set(params, '$.amount', (n.i * 7919) % 10000), ${columns}
   from n join intents on intents.seq = n.i % ${TEMPLATES} + 1`,
);
database.exec('commit; pragma wal_checkpoint(truncate)');
database.close();
writeFileSync(join(directory, 'bench.json'), JSON.stringify(made));
