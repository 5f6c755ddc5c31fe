/** `node bench/postgres/seed-database.ts DIRECTORY`: creates projects and keys in the environment's database. */
import { databaseOf, openGate, readConfig } from '@permitry/server';
import { layOut } from '../store/lay-out.ts';
import { writeManifest } from '../store/manifest.ts';
import { BASE_URL } from '../workload.ts';

const [directory = ''] = process.argv.slice(2);
const config = readConfig(process.env, { PERMITRY_DATA: directory, PERMITRY_BASE_URL: BASE_URL });
const { gate, close } = await openGate({
  database: databaseOf(config),
  issuer: BASE_URL,
  signingKeys: config.signingKeys,
});
const layout = await layOut(gate);
await close();
writeManifest(directory, {
  seededAt: new Date().toISOString(),
  count: 0,
  fates: {},
  ...layout,
  pending: { ordinary: [], lasting: [] },
  sample: [],
  oldest: [],
});
process.exit(0);
