import type { ProjectMode } from '@permitry/protocol';
import { type Config, GateError, initialiseGate, type OpenGate } from '@permitry/server';
import { CommandFailure } from '../command-failure.ts';
import { showCredentials } from '../first-credentials/show-credentials.ts';
import { keepUnshown } from '../first-credentials/unshown-credentials.ts';
import { FIRST_PROJECT } from '../first-project.ts';
import { flagOfGate, nameOfGate } from '../name-of-gate.ts';
import { withOpenGate } from '../open-gate-for-admin.ts';
import { OPERATOR } from '../operator.ts';
import { printJson } from '../printing/print-json.ts';
import { readSettings } from '../read-settings.ts';

export interface InitFlags {
  data?: string;
  database?: string;
  mode: ProjectMode;
  project: string;
  owner: string;
  json?: true;
}

export async function init(flags: InitFlags): Promise<void> {
  const config = readSettings({
    ...(flags.data === undefined ? {} : { data: flags.data }),
    ...(flags.database === undefined ? {} : { database: flags.database }),
    json: flags.json,
  });
  const credentials = await withOpenGate(config, ({ gate }) =>
    initialiseGate(
      gate,
      { mode: flags.mode, projectName: flags.project, ownerEmail: flags.owner },
      OPERATOR,
    ).catch((error: unknown) => {
      if (!isInitialisedAlready(error)) throw error;
      throw new CommandFailure(
        1,
        `${nameOfGate(config)} is initialised already; serve it, or add a project with: permitry project add`,
        { code: 'conflict', cause: error },
      );
    }),
  );
  if (flags.json) return printJson(credentials);
  process.stdout.write(`${showCredentials(credentials)}
Start it with:  permitry serve ${flagOfGate(config)}
Then sign in:   permitry set-up ${flagOfGate(config)}
`);
}

/**
 * Makes the first project, and keeps its keys as unshown from before the commit on. Does nothing when the gate has a project
 * already, be it since a moment ago by another process.
 */
export async function initialiseIfEmpty(gate: OpenGate['gate'], config: Config): Promise<void> {
  try {
    await initialiseGate(
      gate,
      { mode: 'test', projectName: FIRST_PROJECT.project, ownerEmail: FIRST_PROJECT.owner },
      OPERATOR,
      (credentials) => keepUnshown(config, credentials),
    );
  } catch (error) {
    if (!isInitialisedAlready(error)) throw error;
  }
}

function isInitialisedAlready(error: unknown): boolean {
  return error instanceof GateError && error.code === 'conflict';
}
