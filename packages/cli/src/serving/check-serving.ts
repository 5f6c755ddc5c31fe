import { baseUrlFor, type Config, ConfigError } from '@permitry/server';
import { checkGate, type Finding } from '@permitry/server/ops';
import { printJson } from '../printing/print.ts';
import { sayVisibly } from '../printing/say.ts';
import { readSettingsQuietly } from '../read-settings.ts';
import { explainFailure } from '../report-failure.ts';
import { findMissingBaseUrl } from './missing-base-url.ts';
import type { ServeFlags } from './serve.ts';

/** Exit code 0: ready. 1: a problem. 2: settings that cannot be used. It serves, migrates and writes nothing. */
export async function checkServing(flags: ServeFlags): Promise<void> {
  const settings = await readOrSay(flags);
  const findings = 'problems' in settings ? settings.problems : await findOf(settings.config);
  const fit = findings.every(({ state }) => state !== 'problem');
  if (!fit) process.exitCode = 'problems' in settings ? 2 : 1;
  if (flags.json) return printJson({ fit, findings });
  for (const { state, part, message } of findings)
    process.stdout.write(`${state.padEnd(8)} ${part.padEnd(13)} ${sayVisibly(message)}\n`);
}

async function readOrSay(flags: ServeFlags): Promise<{ config: Config } | { problems: Finding[] }> {
  try {
    return { config: await readSettingsQuietly(flags) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return {
      problems: error.problems.map((message) => ({ part: 'configuration', state: 'problem', message })),
    };
  }
}

async function findOf(config: Config): Promise<Finding[]> {
  const missing = findMissingBaseUrl(config, baseUrlFor(config, config.port));
  const warnings = [...config.warnings, ...(missing === undefined ? [] : [missing])];
  const own = warnings.map((message): Finding => ({ part: 'configuration', state: 'warning', message }));
  const fine: Finding = { part: 'configuration', state: 'ok', message: 'All settings can be used.' };
  const found = await checkGate(config, { explain: async (error) => (await explainFailure(error)).sentence });
  return [...(own.length > 0 ? own : [fine]), ...found];
}
