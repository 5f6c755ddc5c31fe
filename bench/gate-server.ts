/**
 * A real gate on the given data directory, or on the database that its environment names. Its rate limit comes from the
 * environment, or is off.
 */
import { readConfig } from '@permitry/server';
import { startServer } from '@permitry/server/serve';
import { announce } from './child-server.ts';
import { BASE_URL } from './workload.ts';

const [dataDir] = process.argv.slice(2);
const {
  PERMITRY_DATABASE_URL,
  PERMITRY_KEY_ENCRYPTION_KEY,
  PERMITRY_METRICS_TOKEN,
  PERMITRY_ALLOW_PRIVATE_TARGETS,
  PERMITRY_RATE_LIMIT_PER_MINUTE = '0',
} = process.env;
const server = await startServer(
  readConfig(
    {
      PERMITRY_DATABASE_URL,
      PERMITRY_KEY_ENCRYPTION_KEY,
      PERMITRY_METRICS_TOKEN,
      PERMITRY_ALLOW_PRIVATE_TARGETS,
    },
    {
      PERMITRY_DATA: dataDir,
      PERMITRY_PORT: '0',
      PERMITRY_BASE_URL: BASE_URL,
      PERMITRY_RATE_LIMIT_PER_MINUTE,
      PERMITRY_LOG_LEVEL: 'error',
    },
  ),
);
process.once('disconnect', () => server.close().then(() => process.exit(0)));
announce(server.port, () => server.stats().commits);
