import type { Config } from '@permitry/server';

type Place = Pick<Config, 'dataDir' | 'databaseUrl'>;

/** What people are told of where a gate is; a database without its password. */
export function nameOfGate({ dataDir, databaseUrl }: Place): string {
  return databaseUrl?.shown ?? dataDir;
}

/** The flag that names the gate on another command line. */
export function flagOfGate({ dataDir, databaseUrl }: Place): string {
  return databaseUrl ? `--database ${databaseUrl.shown}` : `--data ${dataDir}`;
}
