import { existsSync } from 'node:fs';
import {
  type Config,
  databaseFile,
  databaseOf,
  type GateDatabase,
  issuerFor,
  type OpenGate,
  type OpenGateOptions,
  OutdatedSchemaError,
  openGate,
} from '@permitry/server';
import { CommandFailure } from './command-failure.ts';
import { flagOfGate, nameOfGate } from './name-of-gate.ts';
import { readSettings, type SettingFlags } from './read-settings.ts';

type Gate = OpenGate['gate'];

/**
 * Opens the gate of the data directory or database for one command, beside servers that may be running on it, and closes it
 * again. Without a gate there it is refused: a mistyped --data must not make one.
 */
export async function withGate<T>(
  flags: SettingFlags,
  work: (gate: Gate, signer: OpenGate['signer'], opened: OpenGate) => Promise<T>,
  outside: (config: Config) => Pick<OpenGateOptions, 'reach' | 'upstreams'> = () => ({}),
): Promise<T> {
  const config = readSettings(flags);
  assertGateIn(config);
  return withOpenGate(config, work, 'check', outside(config));
}

/** For work on the database that takes none of the gate's keys. */
export async function withDatabase<T>(
  flags: SettingFlags,
  work: (database: GateDatabase) => Promise<T>,
): Promise<T> {
  const config = readSettings(flags, { opensGate: false });
  assertGateIn(config);
  return work(databaseOf(config)).catch((error: unknown) => {
    throw asFailure(error, config);
  });
}

/** The same for a directory or a database that may be empty still. */
export async function withOpenGate<T>(
  config: Config,
  work: (gate: Gate, signer: OpenGate['signer'], opened: OpenGate) => Promise<T>,
  schema: 'update' | 'check' = 'update',
  outside: Pick<OpenGateOptions, 'reach' | 'upstreams'> = {},
): Promise<T> {
  const opened = await openGate({
    ...outside,
    schema,
    database: databaseOf(config),
    issuer: issuerFor(config),
    signingKeys: config.signingKeys,
    onError: (error, what) => {
      process.stderr.write(`permitry: ${what}: ${error instanceof Error ? error.message : String(error)}\n`);
    },
  }).catch((error: unknown) => {
    throw asFailure(error, config);
  });
  try {
    return await work(opened.gate, opened.signer, opened);
  } finally {
    await opened.close();
  }
}

function assertGateIn(config: Config): void {
  if (!config.databaseUrl && !existsSync(databaseFile(config.dataDir))) throw noGateIn(config);
}

function asFailure(error: unknown, config: Config): unknown {
  return error instanceof OutdatedSchemaError && error.status.version === 0 ? noGateIn(config) : error;
}

function noGateIn(config: Config): CommandFailure {
  return new CommandFailure(
    2,
    `There is no gate in ${nameOfGate(config)}; make one with: permitry init ${flagOfGate(config)} --mode test`,
    { code: 'no_gate' },
  );
}
