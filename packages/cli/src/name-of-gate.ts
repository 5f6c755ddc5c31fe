import type { Config } from '@permitry/server';

type GateLocation = Pick<Config, 'dataDir' | 'databaseUrl'>;

/** What people are told of where a gate is; a database without its password. */
export function nameOfGate({ dataDir, databaseUrl }: GateLocation): string {
  return databaseUrl?.shown ?? dataDir;
}

/** The flag that names the gate on another command line. */
export function flagOfGate({ dataDir, databaseUrl }: GateLocation): string {
  return databaseUrl ? `--database ${databaseUrl.shown}` : `--data ${dataDir}`;
}
