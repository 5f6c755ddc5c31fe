import type { Config, RawSettings } from '@permitry/server';
import { usage } from './command-failure.ts';
import { tellWarning } from './printing/print.ts';

/** The command-line flags that are settings, with the variable each replaces. */
const FLAGS: Readonly<Record<string, keyof RawSettings>> = {
  data: 'PERMITRY_DATA',
  database: 'PERMITRY_DATABASE_URL',
  host: 'PERMITRY_HOST',
  port: 'PERMITRY_PORT',
  baseUrl: 'PERMITRY_BASE_URL',
  rateLimit: 'PERMITRY_RATE_LIMIT_PER_MINUTE',
  logLevel: 'PERMITRY_LOG_LEVEL',
  trustProxy: 'PERMITRY_TRUST_PROXY',
  retentionDays: 'PERMITRY_RETENTION_DAYS',
  metricsPort: 'PERMITRY_METRICS_PORT',
};

/** Flags as commander passes them on, by their name in camel case. Flags that are not settings are ignored. */
export interface SettingFlags {
  data?: string;
  database?: string | undefined;
  host?: string;
  port?: string;
  baseUrl?: string;
  rateLimit?: string;
  logLevel?: string;
  trustProxy?: string;
  retentionDays?: string;
  metricsPort?: string;
  /** Not a setting: prints warnings as JSON. */
  json?: true | undefined;
}

/**
 * Settings from flags and PERMITRY_* variables. Flags win. Prints warnings. Throws `ConfigError` in the words of the
 * command line.
 */
export async function readSettings(
  flags: SettingFlags,
  needs: { opensGate?: boolean } = {},
): Promise<Config> {
  const config = await readSettingsQuietly(flags, needs);
  for (const warning of config.warnings) tellOnce(warning, flags);
  return config;
}

/** Reads the settings for callers that report warnings in another way. */
export async function readSettingsQuietly(
  flags: SettingFlags,
  needs: { opensGate?: boolean } = {},
): Promise<Config> {
  const { ConfigError, readConfig } = await import('@permitry/server');
  const raw = Object.fromEntries(
    Object.entries(FLAGS).map(([flag, name]) => [name, flags[flag as keyof SettingFlags]]),
  ) as RawSettings;
  assertOneGate(flags);
  try {
    return readConfig(process.env, raw, needs);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(error.problems.map((problem) => inTheWordsOfFlags(problem, flags)));
  }
}

const given = new Set<string>();

/** Some commands read their settings twice. */
function tellOnce(warning: string, { json }: SettingFlags): void {
  if (!given.has(warning)) tellWarning(warning, { json: json === true });
  given.add(warning);
}

/** Throws if both a directory and a database are named, because a guess could change the wrong gate. */
function assertOneGate({ data, database }: SettingFlags): void {
  const { PERMITRY_DATABASE_URL: url, PERMITRY_DATABASE_URL_FILE: file } = process.env;
  if (data !== undefined && (database !== undefined || url?.trim() || file?.trim())) {
    const other =
      database !== undefined
        ? '--database'
        : url?.trim()
          ? 'PERMITRY_DATABASE_URL'
          : 'PERMITRY_DATABASE_URL_FILE';
    throw usage(`--data and ${other} name two gates. Leave one of them out.`);
  }
  if (database !== undefined && /^[^?#]*:\/\/[^@/?#]*:[^@/?#]*@|[?&](password|sslpassword)=/.test(database)) {
    throw usage(
      'Leave the password out of the command line, where every user of this machine can read it: set PERMITRY_DATABASE_URL, PERMITRY_DATABASE_URL_FILE or PGPASSWORD, or use a .pgpass file.',
    );
  }
}

/** Names the flag: a person who typed `--port` must not read about a variable. */
function inTheWordsOfFlags(problem: string, flags: SettingFlags): string {
  const [flag] =
    Object.entries(FLAGS).find(
      ([name, variable]) =>
        flags[name as keyof SettingFlags] !== undefined && problem.startsWith(`${variable} `),
    ) ?? [];
  if (flag === undefined) return problem;
  const spelled = flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return problem.replace(FLAGS[flag] ?? '', `--${spelled}`);
}
