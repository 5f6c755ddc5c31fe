/** A real gate on the data directory it is given, with its limits off. */
import { readConfig } from '@permitry/server';
import { startServer } from '@permitry/server/serve';
import { announce } from './child-server.ts';
import { BASE_URL } from './workload.ts';

const [dataDir] = process.argv.slice(2);
const server = await startServer(
  readConfig(
    {},
    {
      PERMITRY_DATA: dataDir,
      PERMITRY_PORT: '0',
      PERMITRY_BASE_URL: BASE_URL,
      PERMITRY_RATE_LIMIT_PER_MINUTE: '0',
      PERMITRY_LOG_LEVEL: 'error',
    },
  ),
);
process.once('disconnect', () => server.close().then(() => process.exit(0)));
announce(server.port, () => server.stats().commits);
