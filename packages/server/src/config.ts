/**
 * Turns environment and command-line flags into typed settings. Reports all invalid settings together, before anything
 * starts.
 */

import {
  KEY_ENCRYPTION_KEY_NEEDED,
  readKeyEncryptionKey,
  readPin,
  type SigningKeySettings,
} from './keys/key-settings.ts';
import { readTraceSettings, type TraceSettings } from './ops/telemetry/trace-settings.ts';
import { type MailSettings, readMailFrom, readSmtpUrl } from './outgoing/mail/mail-settings.ts';
import { type AddressRange, readAddressRanges } from './outgoing/outgoing-addresses.ts';
import { type OidcProviderSettings, readOidcProviders } from './people/oidc/oidc-settings.ts';
import { DatabaseUrl } from './settings/database-url.ts';
import { readSecretFile, readSecretSetting, type SecretSetting } from './settings/secret-setting.ts';
import {
  type LogLevel,
  readAccessLog,
  readBaseUrl,
  readHost,
  readInteger,
  readLogLevel,
  readMetricsToken,
  readModulePath,
  readSwitch,
  readTokenLabel,
  readTrustProxy,
} from './settings/setting-forms.ts';
import { findUnknown, withoutServiceLinks } from './settings/unknown-settings.ts';
import type { GateDatabase } from './storage/open-storage.ts';

export interface Config {
  /** Where to send spans, by the standard variables of OpenTelemetry. Null: nowhere. */
  traces: TraceSettings | null;
  /** Directory that holds database, keys and credentials. With `databaseUrl`, nothing in it must be kept. */
  dataDir: string;
  /** PostgreSQL. Null: SQLite in `dataDir`. */
  databaseUrl: DatabaseUrl | null;
  /** Whether a starting gate updates the schema of its PostgreSQL database. */
  migrateAtStart: boolean;
  host: string;
  /** 0: any free port. */
  port: number;
  /** Without trailing slash and without `/v1`. Null: `http://localhost:PORT`. */
  baseUrl: string | null;
  /** 0: no limits except those of a project or a key. */
  rateLimitPerMinute: number;
  logLevel: LogLevel;
  /** Whether to log a line for each request. */
  accessLog: 'off' | 'on' | 'with_addresses';
  /** How long a stopping gate still serves, so that load balancers notice the stop. */
  drainDelaySeconds: number;
  /** Whose X-Forwarded-For to trust: nobody's, everybody's, this many hops, or these addresses. */
  trustProxy: boolean | number | string[];
  /** Days after which texts are erased, for projects without a setting of their own. 0: never. */
  retentionDays: number;
  /** Bearer token of /metrics on the main port. Null: not served there. */
  metricsToken: string | null;
  /** Separate port for /metrics on the same host. Null: none. */
  metricsPort: number | null;
  signingKeys: SigningKeySettings;
  mail: MailSettings;
  /** OpenID providers through which people sign in. */
  oidc: readonly OidcProviderSettings[];
  /** Private ranges in which chat hooks, push services and webhooks may be reached. None by default. */
  allowPrivateTargets: readonly AddressRange[];
  /** What an operator should change, one sentence each. */
  warnings: readonly string[];
}

/** Settings by the name of their environment variable. A command-line flag overrides the variable. */
export type RawSettings = Readonly<Partial<Record<SettingName, string | undefined>>>;

export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(
      `Permitry cannot start with these settings:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    );
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

const SETTINGS = {
  PERMITRY_DATA: (text: string) => text,
  PERMITRY_MIGRATE_AT_START: readSwitch,
  PERMITRY_HOST: readHost,
  PERMITRY_PORT: (text: string) => readInteger(text, 0, 65_535),
  PERMITRY_BASE_URL: readBaseUrl,
  PERMITRY_RATE_LIMIT_PER_MINUTE: (text: string) => readInteger(text, 0, 100_000_000),
  PERMITRY_LOG_LEVEL: readLogLevel,
  PERMITRY_ACCESS_LOG: readAccessLog,
  PERMITRY_DRAIN_DELAY_SECONDS: (text: string) => readInteger(text, 0, 300),
  PERMITRY_TRUST_PROXY: readTrustProxy,
  PERMITRY_RETENTION_DAYS: (text: string) => readInteger(text, 0, 36_500),
  PERMITRY_METRICS_PORT: (text: string) => readInteger(text, 1, 65_535),
  PERMITRY_SIGNING_KEY_ROTATION_DAYS: (text: string) => readInteger(text, 0, 3650),
  PERMITRY_PKCS11_MODULE: readModulePath,
  PERMITRY_PKCS11_TOKEN: readTokenLabel,
  PERMITRY_MAIL_FROM: readMailFrom,
  PERMITRY_ALLOW_PRIVATE_TARGETS: readAddressRanges,
} as const;

/** Each secret can also come from a file: NAME_FILE. */
const SECRETS = {
  PERMITRY_DATABASE_URL: (text: string) => new DatabaseUrl(text),
  PERMITRY_METRICS_TOKEN: readMetricsToken,
  PERMITRY_KEY_ENCRYPTION_KEY: readKeyEncryptionKey,
  PERMITRY_KEY_ENCRYPTION_KEY_PREVIOUS: readKeyEncryptionKey,
  PERMITRY_PKCS11_PIN: readPin,
  PERMITRY_SMTP_URL: readSmtpUrl,
} as const;

/** Only a file is possible, because its content is JSON with many lines. */
const OIDC_FILE = 'PERMITRY_OIDC_FILE';
/** Enough for twenty providers. */
const OIDC_FILE_BYTES = 64 * 1024;

export const SETTING_NAMES: readonly string[] = [
  ...Object.keys(SETTINGS),
  ...Object.keys(SECRETS).flatMap((name) => [name, `${name}_FILE`]),
  OIDC_FILE,
];

/** A saved key set stays complete for half a year, because it always contains the next key. */
const ROTATION_DAYS = 90;

type PlainName = keyof typeof SETTINGS;
type SecretName = keyof typeof SECRETS;
type SettingName = PlainName | SecretName;

/**
 * @param env Usually `process.env`. An unknown PERMITRY_ variable is refused.
 * @param opensGate False for a caller that works only on the database and needs no keys.
 * @throws ConfigError naming every problem
 * @example readConfig(process.env, { PERMITRY_PORT: '9000' })
 */
export function readConfig(
  env: Readonly<Record<string, string | undefined>>,
  flags: RawSettings = {},
  { opensGate = true }: { opensGate?: boolean } = {},
): Config {
  const given = withoutServiceLinks(env);
  const problems = findUnknown(given, SETTING_NAMES);
  const warnings: string[] = [];
  function read<Name extends PlainName, Default>(name: Name, otherwise: Default) {
    const text = (flags[name] ?? given[name])?.trim();
    if (text === undefined || text === '') return otherwise;
    try {
      return SETTINGS[name](text) as ReturnType<(typeof SETTINGS)[Name]>;
    } catch (error) {
      problems.push(`${name} ${(error as Error).message}`);
      return otherwise;
    }
  }
  function parseSecret<T>(find: () => SecretSetting | undefined, parse: (text: string) => T): T | null {
    let secret: SecretSetting | undefined;
    try {
      secret = find();
    } catch (error) {
      problems.push((error as Error).message);
    }
    if (!secret) return null;
    if (secret.warning !== null) warnings.push(secret.warning);
    try {
      return parse(secret.text);
    } catch (error) {
      problems.push(`${secret.from} ${(error as Error).message}`);
      return null;
    }
  }
  function readSecret<Name extends SecretName>(name: Name) {
    const from = flags[name] === undefined ? given : { [name]: flags[name] };
    const parse = SECRETS[name] as (text: string) => ReturnType<(typeof SECRETS)[Name]>;
    return parseSecret(() => readSecretSetting(from, name), parse);
  }
  function readSigningKeys(): SigningKeySettings {
    const keyEncryptionKey = readSecret('PERMITRY_KEY_ENCRYPTION_KEY');
    const previousKeyEncryptionKey = readSecret('PERMITRY_KEY_ENCRYPTION_KEY_PREVIOUS');
    if (previousKeyEncryptionKey && !keyEncryptionKey) {
      problems.push('PERMITRY_KEY_ENCRYPTION_KEY_PREVIOUS needs PERMITRY_KEY_ENCRYPTION_KEY');
    }
    const module = read('PERMITRY_PKCS11_MODULE', null);
    const tokenLabel = read('PERMITRY_PKCS11_TOKEN', null);
    const pin = readSecret('PERMITRY_PKCS11_PIN');
    if (module && !pin)
      problems.push('PERMITRY_PKCS11_MODULE needs PERMITRY_PKCS11_PIN or PERMITRY_PKCS11_PIN_FILE');
    if (!module && (tokenLabel || pin))
      problems.push('PERMITRY_PKCS11_TOKEN and PERMITRY_PKCS11_PIN need PERMITRY_PKCS11_MODULE');
    return {
      keyEncryptionKey,
      previousKeyEncryptionKey,
      rotationDays: read('PERMITRY_SIGNING_KEY_ROTATION_DAYS', ROTATION_DAYS),
      pkcs11: module && pin ? { module, tokenLabel, pin } : null,
    };
  }
  function readMail(): MailSettings {
    const smtp = readSecret('PERMITRY_SMTP_URL');
    const from = read('PERMITRY_MAIL_FROM', null);
    if (from && !smtp) problems.push('PERMITRY_MAIL_FROM needs PERMITRY_SMTP_URL');
    return { smtp, from };
  }
  function readTraces(): TraceSettings | null {
    try {
      return readTraceSettings(env);
    } catch (error) {
      problems.push((error as Error).message);
      return null;
    }
  }
  function readOidc(): readonly OidcProviderSettings[] {
    const path = given[OIDC_FILE]?.trim();
    if (!path) return [];
    return parseSecret(() => readSecretFile(OIDC_FILE, path, OIDC_FILE_BYTES), readOidcProviders) ?? [];
  }
  const config: Config = {
    traces: readTraces(),
    dataDir: read('PERMITRY_DATA', './permitry-data'),
    databaseUrl: readSecret('PERMITRY_DATABASE_URL'),
    migrateAtStart: read('PERMITRY_MIGRATE_AT_START', true),
    host: read('PERMITRY_HOST', '127.0.0.1'),
    port: read('PERMITRY_PORT', 8787),
    baseUrl: read('PERMITRY_BASE_URL', null),
    rateLimitPerMinute: read('PERMITRY_RATE_LIMIT_PER_MINUTE', 10_000),
    logLevel: read('PERMITRY_LOG_LEVEL', 'info'),
    accessLog: read('PERMITRY_ACCESS_LOG', 'off'),
    drainDelaySeconds: read('PERMITRY_DRAIN_DELAY_SECONDS', 0),
    trustProxy: read('PERMITRY_TRUST_PROXY', false),
    retentionDays: read('PERMITRY_RETENTION_DAYS', 0),
    metricsToken: readSecret('PERMITRY_METRICS_TOKEN'),
    metricsPort: read('PERMITRY_METRICS_PORT', null),
    signingKeys: readSigningKeys(),
    mail: readMail(),
    oidc: readOidc(),
    allowPrivateTargets: read('PERMITRY_ALLOW_PRIVATE_TARGETS', []),
    warnings,
  };
  const hasBadKey = problems.some((problem) => problem.startsWith('PERMITRY_KEY_ENCRYPTION_KEY'));
  if (opensGate && config.databaseUrl && !config.signingKeys.keyEncryptionKey && !hasBadKey)
    problems.push(KEY_ENCRYPTION_KEY_NEEDED);
  if (config.metricsPort !== null && config.metricsPort === config.port) {
    problems.push('PERMITRY_METRICS_PORT must differ from PERMITRY_PORT');
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** The directory or the PostgreSQL database of the gate. */
export function databaseOf({ dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>): GateDatabase {
  return databaseUrl ? { url: databaseUrl.reveal() } : { directory: dataDir };
}

/** The beginning of approval URLs and the `iss` of tokens. Never taken from a Host header. */
export function baseUrlFor(config: Config, listeningPort: number): string {
  return config.baseUrl ?? `http://localhost:${listeningPort}`;
}
