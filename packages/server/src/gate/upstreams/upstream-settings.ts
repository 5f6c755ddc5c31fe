/** How the gate reaches a server. The settings are checked when set, stored sealed, and opened to connect. */
import type { FieldProblem } from '../kernel/errors.ts';
import { invalidFields } from '../kernel/invalid-fields.ts';
import type { Upstream, UpstreamSettings } from './upstream.ts';
import type { UpstreamDeps } from './upstream-deps.ts';

const NAME = /^[a-z][a-z0-9-]{0,31}$/;
/** Prefixes that the gate's own connectors and tools use. */
const RESERVED_NAMES: ReadonlySet<string> = new Set([
  'mail',
  'payments',
  'database',
  'deploy',
  'files',
  'iam',
  'permitry',
]);

const MOST_URL_CHARACTERS = 2048;
const MOST_SECRETS = 30;
const MOST_SECRET_CHARACTERS = 4096;
const MOST_ARGUMENTS = 100;
const MOST_ARGUMENT_CHARACTERS = 4096;

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/;
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
/** Headers that control the transfer, or that the protocol sets itself. */
const RESERVED_HEADER =
  /^(?:host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-.*|accept.*|last-event-id|mcp-.*)$/i;
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

const LEAST_TIMEOUT_SECONDS = 10;
export const MOST_TIMEOUT_SECONDS = 600;
export const USUAL_TIMEOUT_SECONDS = 120;

/** @throws GateError `invalid_fields` */
export function checkName(name: string): string {
  const message = !NAME.test(name)
    ? 'Must begin with a lower-case letter and have at most 32 lower-case letters, digits and hyphens.'
    : RESERVED_NAMES.has(name)
      ? 'The gate’s own tools use this prefix; choose another name.'
      : undefined;
  if (message !== undefined) throw invalidFields({ path: '/name', message });
  return name;
}

/** @throws GateError `invalid_fields` */
export function checkTimeout(seconds: number): number {
  if (Number.isInteger(seconds) && seconds >= LEAST_TIMEOUT_SECONDS && seconds <= MOST_TIMEOUT_SECONDS)
    return seconds;
  throw invalidFields({
    path: '/timeout_seconds',
    message: `Must be a whole number from ${LEAST_TIMEOUT_SECONDS} to ${MOST_TIMEOUT_SECONDS}.`,
  });
}

/** The stored settings of a server, and the part of them that may be shown. */
type Sealed = Pick<Upstream, 'target' | 'secretNames' | 'sealedSettings'>;

/** @throws GateError `invalid_fields` */
export function sealSettings(
  gate: Pick<UpstreamDeps, 'reach' | 'secretEncryption'>,
  upstream: Pick<Upstream, 'id' | 'projectId'>,
  settings: UpstreamSettings,
): Sealed {
  const problems = settings.kind === 'http' ? findHttpProblems(gate, settings) : findStdioProblems(settings);
  if (problems.length > 0) throw invalidFields(...problems);
  return {
    target: settings.kind === 'http' ? new URL(settings.url).host : nameOfCommand(settings.command),
    secretNames: Object.keys(settings.kind === 'http' ? settings.headers : settings.env).toSorted(),
    sealedSettings: gate.secretEncryption.encrypt(purposeOf(upstream), JSON.stringify(settings)),
  };
}

/** Returns undefined if the settings were sealed with a key that is gone. */
export function openSettings(
  gate: Pick<UpstreamDeps, 'secretEncryption'>,
  upstream: Upstream,
): UpstreamSettings | undefined {
  const text = gate.secretEncryption.decrypt(purposeOf(upstream), upstream.sealedSettings);
  return text === undefined ? undefined : (JSON.parse(text) as UpstreamSettings);
}

/**
 * Includes the project, so that settings cannot be opened after their row was moved to another project in the database.
 */
function purposeOf({ id, projectId }: Pick<Upstream, 'id' | 'projectId'>): string {
  return `upstream settings ${projectId} ${id}`;
}

function findHttpProblems(
  gate: Pick<UpstreamDeps, 'reach'>,
  { url, headers }: Extract<UpstreamSettings, { kind: 'http' }>,
): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const problem =
    url.length > MOST_URL_CHARACTERS
      ? `Must be at most ${MOST_URL_CHARACTERS} characters.`
      : gate.reach.findTargetProblem(url);
  if (problem !== undefined) problems.push({ path: '/url', message: problem });
  const names = Object.keys(headers);
  if (names.length > MOST_SECRETS)
    problems.push({ path: '/headers', message: `There may be ${MOST_SECRETS} at most.` });
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length)
    problems.push({ path: '/headers', message: 'Two headers have names that differ only in case.' });
  for (const [name, value] of Object.entries(headers)) {
    const path = `/headers/${toPointer(name)}`;
    if (!HEADER_NAME.test(name)) problems.push({ path, message: 'Is not a valid header name.' });
    else if (RESERVED_HEADER.test(name))
      problems.push({ path, message: 'The gate sets this header itself.' });
    else if (!HEADER_VALUE.test(value) || value.length > MOST_SECRET_CHARACTERS)
      problems.push({ path, message: `Must be 1 to ${MOST_SECRET_CHARACTERS} printable ASCII characters.` });
  }
  return problems;
}

function findStdioProblems({
  command,
  args,
  env,
  cwd,
}: Extract<UpstreamSettings, { kind: 'stdio' }>): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (!isArgument(command) || command.trim() === '')
    problems.push({ path: '/command', message: 'Must be the name or the path of a program.' });
  if (args.length > MOST_ARGUMENTS || !args.every(isArgument))
    problems.push({
      path: '/args',
      message: `Must be at most ${MOST_ARGUMENTS}, each of at most ${MOST_ARGUMENT_CHARACTERS} characters, without a zero byte.`,
    });
  if (!cwd.startsWith('/') || !isArgument(cwd))
    problems.push({ path: '/cwd', message: 'Must be an absolute path.' });
  if (Object.keys(env).length > MOST_SECRETS)
    problems.push({ path: '/env', message: `There may be ${MOST_SECRETS} at most.` });
  for (const [name, value] of Object.entries(env)) {
    const path = `/env/${toPointer(name)}`;
    if (!VARIABLE_NAME.test(name)) problems.push({ path, message: 'Is not a valid variable name.' });
    else if (!isArgument(value)) problems.push({ path, message: 'Is too long, or contains a zero byte.' });
  }
  return problems;
}

function isArgument(text: string): boolean {
  return text.length <= MOST_ARGUMENT_CHARACTERS && !text.includes('\0') && text.isWellFormed();
}

/** Leaves out the directories, which are not for display. */
function nameOfCommand(command: string): string {
  return command.replace(/\/+$/, '').split('/').at(-1) ?? command;
}

/** RFC 6901 §3. */
function toPointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
