import type { ProjectMode } from '@permitry/protocol';
import { type FirstCredentials, GateError, initialiseGate, type OpenGate } from '@permitry/server';
import type { Command } from 'commander';
import { Option } from 'commander';
import { CommandFailure } from '../command-failure.ts';
import { dataOption, examples, jsonOption } from '../command-options.ts';
import { showCredentials } from '../first-credentials/show-credentials.ts';
import { withOpenGate } from '../open-gate-for-admin.ts';
import { OPERATOR } from '../operator.ts';
import { printJson } from '../print-json.ts';
import { readSettings } from '../read-settings.ts';

interface InitFlags {
  data?: string;
  mode: ProjectMode;
  project: string;
  owner: string;
  json?: true;
}

const FIRST_PROJECT = { project: 'First project', owner: 'owner@localhost' } as const;

export function addInitCommand(program: Command): void {
  program
    .command('init')
    .summary('make the first project of an empty data directory')
    .description('Makes the first project of an empty data directory and shows its keys, once.')
    .addOption(dataOption())
    .addOption(
      new Option('--mode <mode>', 'test: one key may ask and approve. live: people decide. For good.')
        .choices(['test', 'live'])
        .makeOptionMandatory(),
    )
    .option('--project <name>', 'name of the project', FIRST_PROJECT.project)
    .option('--owner <email>', 'e-mail address of its owner', FIRST_PROJECT.owner)
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples('permitry init --data ./permitry-data --mode live --owner ann@example.org'),
    )
    .action(init);
}

async function init(flags: InitFlags): Promise<void> {
  const config = readSettings({ ...(flags.data === undefined ? {} : { data: flags.data }) });
  const credentials = await withOpenGate(config, (gate) =>
    initialiseGate(
      gate,
      { mode: flags.mode, projectName: flags.project, ownerEmail: flags.owner },
      OPERATOR,
    ).catch((error: unknown) => {
      if (!isInitialisedAlready(error)) throw error;
      throw new CommandFailure(
        1,
        `${config.dataDir} is initialised already; serve it, or add a project with: permitry project add`,
      );
    }),
  );
  if (flags.json) return printJson(credentials);
  process.stdout.write(`${showCredentials(credentials)}
Start it with: permitry serve --data ${config.dataDir}
`);
}

/** Null when the gate has a project already, be it since a moment ago by another process. */
export async function initialiseIfEmpty(gate: OpenGate['gate']): Promise<FirstCredentials | null> {
  try {
    return await initialiseGate(
      gate,
      { mode: 'test', projectName: FIRST_PROJECT.project, ownerEmail: FIRST_PROJECT.owner },
      OPERATOR,
    );
  } catch (error) {
    if (isInitialisedAlready(error)) return null;
    throw error;
  }
}

function isInitialisedAlready(error: unknown): boolean {
  return error instanceof GateError && error.code === 'conflict';
}
