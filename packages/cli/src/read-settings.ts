import { type Config, ConfigError, type RawSettings, readConfig } from '@permitry/server';

/** The flags of the command line that are settings, with the variable each stands for. */
const FLAGS: Readonly<Record<string, keyof RawSettings>> = {
  data: 'PERMITRY_DATA',
  host: 'PERMITRY_HOST',
  port: 'PERMITRY_PORT',
  baseUrl: 'PERMITRY_BASE_URL',
  rateLimit: 'PERMITRY_RATE_LIMIT_PER_MINUTE',
  logLevel: 'PERMITRY_LOG_LEVEL',
  trustProxy: 'PERMITRY_TRUST_PROXY',
  retentionDays: 'PERMITRY_RETENTION_DAYS',
  metricsPort: 'PERMITRY_METRICS_PORT',
};

/** As commander hands flags over, by their name in camel case; those that are no settings are left alone. */
export interface SettingFlags {
  data?: string;
  host?: string;
  port?: string;
  baseUrl?: string;
  rateLimit?: string;
  logLevel?: string;
  trustProxy?: string;
  retentionDays?: string;
  metricsPort?: string;
}

/** Settings from flags and PERMITRY_* variables; flags win. Throws `ConfigError` in the words of the command line. */
export function readSettings(flags: SettingFlags): Config {
  const raw = Object.fromEntries(
    Object.entries(FLAGS).map(([flag, name]) => [name, flags[flag as keyof SettingFlags]]),
  ) as RawSettings;
  try {
    return readConfig(process.env, raw);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(error.problems.map((problem) => inTheWordsOfFlags(problem, flags)));
  }
}

/** Who typed `--port` shall not read about a variable. */
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
