import { CommanderError } from 'commander';
import { CommandFailure } from './command-failure.ts';
import { withNearSuggestions } from './near-suggestions.ts';
import { paintError, sayVisibly, toInertJson } from './printing/say.ts';
import { tellConnectionProblem } from './tell-connection-problem.ts';

export interface Failure {
  exitCode: 1 | 2;
  /** One of the command's own (`FailureCode`) or of the gate's (`GateErrorCode`). */
  code: string;
  sentence: string;
}

/**
 * Writes one helpful sentence to stderr, and returns the exit code. It writes a stack only if PERMITRY_LOG_LEVEL asks
 * for it. With `json` it is one line of JSON instead: `{ "error": { "code", "message" } }`.
 */
export async function reportFailure(error: unknown, { json }: { json: boolean }): Promise<1 | 2> {
  const { exitCode, code, sentence } = await explainFailure(error);
  if (json) process.stderr.write(`${toInertJson({ error: { code, message: sentence } })}\n`);
  // Commander has already printed its message, with a suggestion.
  else if (!(error instanceof CommanderError))
    process.stderr.write(`${paintError('red', 'permitry:')} ${sayLines(sentence)}\n`);
  if (/^(debug|trace)$/i.test(process.env.PERMITRY_LOG_LEVEL?.trim() ?? '') && error instanceof Error) {
    process.stderr.write(`${error.stack}\n`);
    if (error.cause instanceof Error) process.stderr.write(`caused by ${error.cause.stack}\n`);
  }
  return exitCode;
}

/**
 * Makes the sentence inert, because it may quote a file, an argument or the gate. Some sentences have several lines.
 */
function sayLines(sentence: string): string {
  return sentence.split('\n').map(sayVisibly).join('\n');
}

/** The cause, for people and programs. */
export async function explainFailure(error: unknown): Promise<Failure> {
  if (error instanceof CommandFailure)
    return { exitCode: error.exitCode, code: error.code, sentence: error.message };
  if (error instanceof CommanderError) return { exitCode: 2, code: 'usage', sentence: usageSentence(error) };
  if (isSystemError(error)) return explainSystemError(error);
  const remote = explainRemoteFailure(error);
  if (remote) return remote;
  // Loaded only now, because most failures of offline commands are handled above.
  const { ConfigError, GateError } = await import('@permitry/server');
  if (error instanceof ConfigError)
    return { exitCode: 2, code: 'usage', sentence: error.problems.join('; ') };
  if (error instanceof GateError && error.code === 'service_unavailable')
    return { exitCode: 1, code: error.code, sentence: withReason(error) };
  if (error instanceof GateError)
    return { exitCode: error.code === 'invalid_fields' ? 2 : 1, code: error.code, sentence: error.message };
  const sentence = error instanceof Error ? error.message : String(error);
  return { exitCode: 1, code: 'refused', sentence };
}

/** Checks the error's name, so that it recognises SDK errors without loading the SDK. */
function explainRemoteFailure(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'ConnectionError') {
    return { exitCode: 1, code: 'unreachable', sentence: tellConnectionProblem(error) };
  }
  if (error.name !== 'PermitryError') return undefined;
  const { code, fields = [] } = error as Error & {
    code: string;
    fields?: { path: string; message: string }[];
  };
  // The sentence often contains these problems already.
  const untold = fields.filter(({ message }) => !error.message.includes(message));
  const problems = untold.map(({ path, message }) => `${path || '/'} ${message}`).join('; ');
  // The gate's message may quote text that others wrote.
  const sentence = sayVisibly(problems === '' ? error.message : `${error.message} (${problems})`);
  const hint = code === 'forbidden' ? wrongKey() : '';
  return { exitCode: code === 'invalid_request' ? 2 : 1, code, sentence: `${sentence}${hint}` };
}

/** Most callers without a right used a program's key where a person is needed, or the wrong program's key. */
function wrongKey(): string {
  const key = process.env.PERMITRY_KEY?.trim() ?? '';
  if (key.startsWith('prm_agent_'))
    return " PERMITRY_KEY holds an agent's key, which sends requests and never decides. To act as a person, unset PERMITRY_KEY and run: permitry login";
  if (key.startsWith('prm_verify_'))
    return " PERMITRY_KEY holds an executor's key, which verifies and uses permits and never sends requests.";
  return '';
}

/** The driver's message when no password is set. */
const NO_PASSWORD = /client password must be a/;
const ASKS_FOR_PASSWORD =
  'the database server asks for a password, and none is set. Set PERMITRY_DATABASE_URL, PERMITRY_DATABASE_URL_FILE or PGPASSWORD, or use a .pgpass file';

/** A gate does not reveal why it cannot reach its database. The operator must know. */
function withReason(error: Error): string {
  let reason: unknown = error;
  for (;;) {
    // If a host name has several addresses, one failure represents all of them.
    const below = reason instanceof AggregateError ? reason.errors[0] : (reason as Error).cause;
    if (!(below instanceof Error)) break;
    reason = below;
  }
  if (reason === error) return error.message;
  const { message } = reason as Error;
  return `${error.message} The reason: ${NO_PASSWORD.test(message) ? ASKS_FOR_PASSWORD : message}.`;
}

/** If no command was given, commander has no sentence, only the help page. */
function usageSentence({ code, message }: CommanderError): string {
  if (code === 'commander.help') return 'A command is missing. See: permitry --help';
  return withNearSuggestions(message)
    .replace(/^error: /, '')
    .replace(/\s*\n\s*/g, ' ');
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && 'syscall' in error;
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EPERM: 'the operation is not permitted',
  ENOENT: 'there is no such file or directory',
  ENOTDIR: 'a part of the path is not a directory',
  EISDIR: 'it is a directory',
  EEXIST: 'it already exists',
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
};

/** Codes that mean a wrong path: another path would help. */
const WRONG_PATH: readonly string[] = ['EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'EISDIR', 'EEXIST'];

function explainSystemError(error: NodeJS.ErrnoException): Failure {
  if (error.path === undefined) return { exitCode: 1, code: 'refused', sentence: `${error.message}.` };
  const sentence = `Cannot use ${error.path}: ${REASONS[error.code ?? ''] ?? error.message}.`;
  return WRONG_PATH.includes(error.code ?? '')
    ? { exitCode: 2, code: 'usage', sentence }
    : { exitCode: 1, code: 'refused', sentence };
}
