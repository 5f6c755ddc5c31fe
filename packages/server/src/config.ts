/** Environment and command-line flags → typed settings. Refuses nonsense, all of it at once, before anything starts. */
import type { KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import { isAbsolute } from 'node:path';
import {
  type MailSettings,
  readMailFrom,
  readSmtpUrl,
  type SmtpSettings,
} from './delivery/mail/mail-settings.ts';
import { type AddressRange, readAddressRanges } from './delivery/outgoing-addresses.ts';
import { type OidcProviderSettings, readOidcProviders } from './identity/oidc/oidc-settings.ts';
import {
  readKeyEncryptionKey,
  readPin,
  readSecretFile,
  type SigningKeySettings,
} from './signing/key-settings.ts';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface Config {
  /** Directory that holds database, keys and credentials. */
  dataDir: string;
  host: string;
  /** 0: any free port. */
  port: number;
  /** Without trailing slash and without `/v1`; null: `http://localhost:PORT`. */
  baseUrl: string | null;
  /** 0: no limits but those that a project or a key has of its own. */
  rateLimitPerMinute: number;
  logLevel: LogLevel;
  /** Whose X-Forwarded-For is believed: nobody's, everybody's, that many hops', or these addresses'. */
  trustProxy: boolean | number | string[];
  /** Days after which texts are erased, where a project says nothing of its own; 0: never. */
  retentionDays: number;
  /** Bearer token of /metrics; null: not served there. */
  metricsToken: string | null;
  /** Port of its own for /metrics, on the same host; null: none. */
  metricsPort: number | null;
  signingKeys: SigningKeySettings;
  mail: MailSettings;
  /** OpenID providers that sign people in. */
  oidc: readonly OidcProviderSettings[];
  /** Private ranges that chat hooks, push services and webhooks may be reached in; none by default. */
  allowPrivateTargets: readonly AddressRange[];
}

/** Settings by the name of their environment variable; a flag of the command line wins over it. */
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
  PERMITRY_HOST: readHost,
  PERMITRY_PORT: (text: string) => readInteger(text, 0, 65_535),
  PERMITRY_BASE_URL: readBaseUrl,
  PERMITRY_RATE_LIMIT_PER_MINUTE: (text: string) => readInteger(text, 0, 100_000_000),
  PERMITRY_LOG_LEVEL: readLogLevel,
  PERMITRY_TRUST_PROXY: readTrustProxy,
  PERMITRY_RETENTION_DAYS: (text: string) => readInteger(text, 0, 36_500),
  PERMITRY_METRICS_TOKEN: readMetricsToken,
  PERMITRY_METRICS_PORT: (text: string) => readInteger(text, 1, 65_535),
  PERMITRY_KEY_ENCRYPTION_KEY: readKeyEncryptionKey,
  PERMITRY_KEY_ENCRYPTION_KEY_FILE: (path: string) => readKeyEncryptionKey(readSecretFile(path)),
  PERMITRY_KEY_ENCRYPTION_KEY_PREVIOUS: readKeyEncryptionKey,
  PERMITRY_KEY_ENCRYPTION_KEY_PREVIOUS_FILE: (path: string) => readKeyEncryptionKey(readSecretFile(path)),
  PERMITRY_OIDC_FILE: (path: string) => readOidcProviders(readSecretFile(path, OIDC_FILE_BYTES)),
  PERMITRY_SIGNING_KEY_ROTATION_DAYS: (text: string) => readInteger(text, 0, 3650),
  PERMITRY_PKCS11_MODULE: readModulePath,
  PERMITRY_PKCS11_TOKEN: readTokenLabel,
  PERMITRY_PKCS11_PIN: readPin,
  PERMITRY_PKCS11_PIN_FILE: (path: string) => readPin(readSecretFile(path)),
  PERMITRY_SMTP_URL: readSmtpUrl,
  PERMITRY_SMTP_URL_FILE: (path: string) => readSmtpUrl(readSecretFile(path)),
  PERMITRY_MAIL_FROM: readMailFrom,
  PERMITRY_ALLOW_PRIVATE_TARGETS: readAddressRanges,
} as const;

/** Of twenty providers, at most. */
const OIDC_FILE_BYTES = 64 * 1024;

/** Half a year before a key set that was saved once is out of date: the next key always stands in it. */
const ROTATION_DAYS = 90;

type SettingName = keyof typeof SETTINGS;
type SecretName =
  | 'PERMITRY_KEY_ENCRYPTION_KEY'
  | 'PERMITRY_KEY_ENCRYPTION_KEY_PREVIOUS'
  | 'PERMITRY_PKCS11_PIN';

/**
 * @param env Usually `process.env`. A variable that is nearly the name of a setting is refused: a typing error must
 * not silently leave a gate open. Others are somebody else's, e.g. an agent's `PERMITRY_API_KEY`.
 * @throws ConfigError naming every problem
 * @example readConfig(process.env, { PERMITRY_PORT: '9000' })
 */
export function readConfig(
  env: Readonly<Record<string, string | undefined>>,
  flags: RawSettings = {},
): Config {
  const problems = unknownVariables(env);
  function read<Name extends SettingName, Default>(name: Name, otherwise: Default) {
    const text = (flags[name] ?? env[name])?.trim();
    if (text === undefined || text === '') return otherwise;
    try {
      return SETTINGS[name](text) as ReturnType<(typeof SETTINGS)[Name]>;
    } catch (error) {
      problems.push(`${name} ${(error as Error).message}`);
      return otherwise;
    }
  }
  /** A secret is given itself, or as a file that holds it. */
  function readSecret(name: SecretName): KeyObject | null {
    const [text, file] = [read(name, null), read(`${name}_FILE`, null)];
    if (text && file) problems.push(`${name} and ${name}_FILE are both set; keep one`);
    return text ?? file;
  }
  function readSigningKeys(): SigningKeySettings {
    const keyEncryptionKey = readSecret('PERMITRY_KEY_ENCRYPTION_KEY');
    const previousKeyEncryptionKey = readSecret('PERMITRY_KEY_ENCRYPTION_KEY_PREVIOUS');
    if (previousKeyEncryptionKey && !keyEncryptionKey) {
      problems.push(
        'PERMITRY_KEY_ENCRYPTION_KEY_PREVIOUS takes the place of no other key; set PERMITRY_KEY_ENCRYPTION_KEY as well',
      );
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
    const [url, file]: (SmtpSettings | null)[] = [
      read('PERMITRY_SMTP_URL', null),
      read('PERMITRY_SMTP_URL_FILE', null),
    ];
    if (url && file) problems.push('PERMITRY_SMTP_URL and PERMITRY_SMTP_URL_FILE are both set; keep one');
    const from = read('PERMITRY_MAIL_FROM', null);
    if (from && !url && !file) problems.push('PERMITRY_MAIL_FROM needs PERMITRY_SMTP_URL');
    return { smtp: url ?? file ?? null, from };
  }
  const config: Config = {
    dataDir: read('PERMITRY_DATA', './permitry-data'),
    host: read('PERMITRY_HOST', '127.0.0.1'),
    port: read('PERMITRY_PORT', 8787),
    baseUrl: read('PERMITRY_BASE_URL', null),
    rateLimitPerMinute: read('PERMITRY_RATE_LIMIT_PER_MINUTE', 10_000),
    logLevel: read('PERMITRY_LOG_LEVEL', 'info'),
    trustProxy: read('PERMITRY_TRUST_PROXY', false),
    retentionDays: read('PERMITRY_RETENTION_DAYS', 0),
    metricsToken: read('PERMITRY_METRICS_TOKEN', null),
    metricsPort: read('PERMITRY_METRICS_PORT', null),
    signingKeys: readSigningKeys(),
    mail: readMail(),
    oidc: read('PERMITRY_OIDC_FILE', []),
    allowPrivateTargets: read('PERMITRY_ALLOW_PRIVATE_TARGETS', []),
  };
  if (config.metricsPort !== null && config.metricsPort === config.port) {
    problems.push('PERMITRY_METRICS_PORT must differ from PERMITRY_PORT');
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** The stem of approval URLs and `iss` of tokens; never taken from a Host header. */
export function baseUrlFor(config: Config, listeningPort: number): string {
  return config.baseUrl ?? `http://localhost:${listeningPort}`;
}

function readInteger(text: string, least: number, most: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most)) throw new Error(`must be a whole number from ${least} to ${most}`);
  return value;
}

function readHost(text: string): string {
  if (isIP(text) === 0 && !/^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(text)) {
    throw new Error('must be an address or a host name, e.g. 127.0.0.1');
  }
  return text;
}

function readBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new Error('must be a URL that begins with http:// or https://');
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new Error('must not hold credentials, a query or a fragment');
  }
  const path = url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '').replace(/\/+$/, '');
  return url.origin + path;
}

function readLogLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === text.toLowerCase());
  if (!level) throw new Error(`must be one of: ${LOG_LEVELS.join(', ')}`);
  return level;
}

function readTrustProxy(text: string): boolean | number | string[] {
  if (text === 'true' || text === 'false') return text === 'true';
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const addresses = text.split(',').map((part) => part.trim());
  if (!addresses.every(isAddressOrRange)) {
    throw new Error(
      'must be true, false, a number of hops, or addresses and ranges, e.g. 10.0.0.0/8,127.0.0.1',
    );
  }
  return addresses;
}

const NAMED_RANGES: readonly string[] = ['loopback', 'linklocal', 'uniquelocal'];

function isAddressOrRange(text: string): boolean {
  if (NAMED_RANGES.includes(text)) return true;
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

function readMetricsToken(text: string): string {
  if (!/^[\x21-\x7e]{16,200}$/.test(text))
    throw new Error('must be 16 to 200 printable characters without spaces');
  return text;
}

function readModulePath(text: string): string {
  if (!isAbsolute(text)) throw new Error('must be an absolute path, e.g. /usr/lib/softhsm/libsofthsm2.so');
  return text;
}

/** A token's label is 32 bytes long, filled up with spaces. */
function readTokenLabel(text: string): string {
  if (Buffer.byteLength(text) > 32) throw new Error('must be a label of at most 32 bytes');
  return text;
}

const MOST_TYPOS = 3;

function unknownVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('PERMITRY_') && !Object.hasOwn(SETTINGS, name))
    .flatMap((name) => {
      const near = Object.keys(SETTINGS)
        .map((known) => ({ known, letters: distance(known, name) }))
        .sort((one, other) => one.letters - other.letters)[0];
      if (near === undefined || near.letters > MOST_TYPOS) return [];
      return [`${name} is not a setting; did you mean ${near.known}?`];
    });
}

/** How many letters two names differ in (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      next.push(
        Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + (letter === other ? 0 : 1)),
      );
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
