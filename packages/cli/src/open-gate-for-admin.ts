import { existsSync } from 'node:fs';
import { type Config, databaseFile, issuerFor, type OpenGate, openGate } from '@permitry/server';
import { CommandFailure } from './command-failure.ts';
import { readSettings, type SettingFlags } from './read-settings.ts';

type Gate = OpenGate['gate'];

/**
 * Opens the gate of the data directory for one command, beside a server that may be running on it, and closes it
 * again. A directory without a gate is refused: a mistyped --data must not make one.
 */
export async function withGate<T>(
  flags: SettingFlags,
  work: (gate: Gate, signer: OpenGate['signer'], opened: OpenGate) => Promise<T>,
): Promise<T> {
  const config = readSettings(flags);
  if (!existsSync(databaseFile(config.dataDir))) {
    throw new CommandFailure(
      2,
      `There is no gate in ${config.dataDir}; make one with: permitry init --data ${config.dataDir} --mode test`,
      { code: 'no_gate' },
    );
  }
  return withOpenGate(config, work);
}

/** The same for a directory that may be empty still. */
export async function withOpenGate<T>(
  config: Config,
  work: (gate: Gate, signer: OpenGate['signer'], opened: OpenGate) => Promise<T>,
): Promise<T> {
  const opened = await openGate({
    dataDir: config.dataDir,
    issuer: issuerFor(config),
    signingKeys: config.signingKeys,
    onError: (error, what) => {
      process.stderr.write(`permitry: ${what}: ${error instanceof Error ? error.message : String(error)}\n`);
    },
  });
  try {
    return await work(opened.gate, opened.signer, opened);
  } finally {
    await opened.close();
  }
}
