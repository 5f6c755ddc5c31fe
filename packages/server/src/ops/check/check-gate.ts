/** Checks whether a gate with these settings can serve, even beside a running gate. The checks change nothing. */
import { existsSync, statfsSync } from 'node:fs';
import type { Config } from '../../config.ts';
import { databaseFile } from '../../storage/sqlite/open-database.ts';
import { checkClock } from './check-clock.ts';
import { checkDirectory } from './check-directory.ts';
import { checkDisk } from './check-disk.ts';
import { checkKeys } from './check-keys.ts';
import { checkPostgres } from './check-postgres.ts';
import { type Finding, problem, warning } from './finding.ts';

export type { Finding } from './finding.ts';

export interface CheckOptions {
  /** Explains an error to the operator. */
  explain: (error: unknown) => Promise<string>;
  /** Milliseconds since the epoch. */
  now?: () => number;
  freeBytes?: (directory: string) => number;
}

/**
 * At least one finding for each part except the configuration, which was already read.
 * @example const findings = await checkGate(readConfig(process.env), { explain: async (error) => String(error) });
 */
export async function checkGate(config: Config, options: CheckOptions): Promise<readonly Finding[]> {
  const { explain, now = Date.now, freeBytes = freeBytesOf } = options;
  const trying = async (
    part: Finding['part'],
    check: () => Promise<readonly Finding[]> | readonly Finding[],
  ) => {
    try {
      return await check();
    } catch (error) {
      return [problem(part, await explain(error))];
    }
  };
  const findings: Finding[] = [];
  let clockAheadMs: number | null = null;
  const { databaseUrl, dataDir, signingKeys } = config;
  if (databaseUrl) {
    findings.push(
      ...(await trying('database', () =>
        checkPostgres(config, databaseUrl, async (database) => {
          clockAheadMs = database.clockAheadMs;
          return trying('keys', () => checkKeys({ read: database.read }, signingKeys));
        }),
      )),
    );
  } else if (existsSync(databaseFile(dataDir))) {
    findings.push(...(await trying('database', () => checkDirectory(dataDir))));
    findings.push(...(await trying('keys', () => checkKeys({ directory: dataDir }, signingKeys))));
  } else {
    findings.push(warning('database', `There is no gate in ${dataDir} yet; the first start creates one.`));
  }
  if (!findings.some(({ part }) => part === 'keys')) {
    const message = findings.some(({ state }) => state === 'problem')
      ? 'They are in the database and were not checked.'
      : 'There are none yet; the first start creates them.';
    findings.push(warning('keys', message));
  }
  findings.push(...(await trying('clock', () => checkClock({ dataDir, now: now(), clockAheadMs }))));
  findings.push(...(await trying('disk', () => checkDisk(config, freeBytes))));
  return findings;
}

function freeBytesOf(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}
