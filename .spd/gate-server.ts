/** A real gate on a directory of its own, with limits off and a policy of twenty rules. */
import { initialiseGate, putPolicy, readConfig } from '@permitry/server';
import { startServer } from '@permitry/server/serve';
import { announce } from './child-server.ts';
import { POLICY } from './workload.ts';

const server = await startServer(
  readConfig(
    {},
    {
      PERMITRY_DATA: process.env.BENCH_DATA,
      PERMITRY_PORT: '0',
      PERMITRY_RATE_LIMIT_PER_MINUTE: '0',
      PERMITRY_LOG_LEVEL: 'error',
    },
  ),
);
const credentials = await initialiseGate(server.gate, {
  mode: 'test',
  projectName: 'bench',
  ownerEmail: 'owner@localhost',
});
await putPolicy(
  server.gate,
  { kind: 'operator', credentialId: 'operator', display: 'bench' },
  { projectId: credentials.project_id, document: POLICY },
);
announce({ port: server.port, credentials }, () => ({ commits: server.stats().commits }));
