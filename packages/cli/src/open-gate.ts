/**
 * Owns how commands reach a gate: on its own storage as its operator, beside servers that may be running on it. It
 * loads server code when a command runs.
 */
import { existsSync } from 'node:fs';
import type { Config, GateDatabase, OpenGate, OpenGateOptions, OperatorCaller } from '@permitry/server';
import { CommandFailure } from './command-failure.ts';
import { readSettings, type SettingFlags } from './read-settings.ts';

/**
 * The caller for anyone who can open the data directory. Does not contain their login name, because the audit log could
 * never erase it.
 */
export const OPERATOR: OperatorCaller = { kind: 'operator', credentialId: 'operator', display: 'operator' };

type GateLocation = Pick<Config, 'dataDir' | 'databaseUrl'>;

/** A gate's location for messages. A database appears without its password. */
export function nameOfGate({ dataDir, databaseUrl }: GateLocation): string {
  return databaseUrl?.shown ?? dataDir;
}

/** The flag that names the gate on another command line. */
export function flagOfGate({ dataDir, databaseUrl }: GateLocation): string {
  return databaseUrl ? `--database ${databaseUrl.shown}` : `--data ${dataDir}`;
}

type Server = typeof import('@permitry/server');
/** Work on an open gate, with the operations for it. */
type Work<T> = (opened: OpenGate, server: Server) => Promise<T>;
type Outside = Pick<OpenGateOptions, 'reach' | 'upstreams'>;

/**
 * Opens the gate of the data directory or database for one command, and closes it afterwards. Refuses if there is no
 * gate: a mistyped --data must not create one.
 */
export async function withGate<T>(
  flags: SettingFlags,
  work: Work<T>,
  outside: (config: Config) => Outside = () => ({}),
): Promise<T> {
  const config = await readSettings(flags);
  await assertGateIn(config);
  return withOpenGate(config, work, 'check', outside(config));
}

/** For work on the database that needs none of the gate's keys. */
export async function withDatabase<T>(
  flags: SettingFlags,
  work: (database: GateDatabase, server: Server) => Promise<T>,
): Promise<T> {
  const config = await readSettings(flags, { opensGate: false });
  await assertGateIn(config);
  const server = await import('@permitry/server');
  return work(server.databaseOf(config), server).catch((error: unknown) => {
    throw asFailure(error, config, server);
  });
}

/** As `withGate`, for a directory or database that may still be empty. */
export async function withOpenGate<T>(
  config: Config,
  work: Work<T>,
  schema: 'update' | 'check' = 'update',
  outside: Outside = {},
): Promise<T> {
  const server = await import('@permitry/server');
  const opened = await server
    .openGate({
      ...outside,
      schema,
      database: server.databaseOf(config),
      issuer: server.issuerFor(config),
      signingKeys: config.signingKeys,
      onError: (error, what) => {
        process.stderr.write(
          `permitry: ${what}: ${error instanceof Error ? error.message : String(error)}\n`,
        );
      },
    })
    .catch((error: unknown) => {
      throw asFailure(error, config, server);
    });
  try {
    return await work(opened, server);
  } finally {
    await opened.close();
  }
}

async function assertGateIn(config: Config): Promise<void> {
  const { databaseFile } = await import('@permitry/server');
  if (!config.databaseUrl && !existsSync(databaseFile(config.dataDir))) throw noGateIn(config);
}

function asFailure(error: unknown, config: Config, { OutdatedSchemaError }: Server): unknown {
  return error instanceof OutdatedSchemaError && error.status.version === 0 ? noGateIn(config) : error;
}

function noGateIn(config: Config): CommandFailure {
  return new CommandFailure(
    2,
    `There is no gate in ${nameOfGate(config)}. Create one with: permitry init ${flagOfGate(config)} --mode test`,
    { code: 'no_gate' },
  );
}
