import { ConfigError, GateError } from '@permitry/server';
import { CommandFailure } from './command-failure.ts';
import { paintError } from './paint.ts';

/** Writes one helpful sentence to stderr, never a stack unless PERMITRY_LOG_LEVEL asks for it, and answers the exit code. */
export function reportFailure(error: unknown): 1 | 2 {
  const { exitCode, sentence } = explain(error);
  process.stderr.write(`${paintError('red', 'permitry:')} ${sentence}\n`);
  if (/^(debug|trace)$/i.test(process.env.PERMITRY_LOG_LEVEL?.trim() ?? '') && error instanceof Error) {
    process.stderr.write(`${error.stack}\n`);
    if (error.cause instanceof Error) process.stderr.write(`caused by ${error.cause.stack}\n`);
  }
  return exitCode;
}

function explain(error: unknown): { exitCode: 1 | 2; sentence: string } {
  if (error instanceof CommandFailure) return { exitCode: error.exitCode, sentence: error.message };
  if (error instanceof ConfigError) return { exitCode: 2, sentence: error.problems.join('; ') };
  if (error instanceof GateError) {
    return { exitCode: error.code === 'invalid_fields' ? 2 : 1, sentence: error.message };
  }
  if (isSystemError(error)) return { exitCode: 1, sentence: explainSystemError(error) };
  const message = error instanceof Error ? error.message : String(error);
  return { exitCode: 1, sentence: message };
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && 'syscall' in error;
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EPERM: 'that is not permitted',
  ENOENT: 'there is no such file or directory',
  ENOTDIR: 'a part of the path is not a directory',
  EISDIR: 'it is a directory',
  EEXIST: 'it exists already',
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
};

function explainSystemError(error: NodeJS.ErrnoException): string {
  const reason = REASONS[error.code ?? ''] ?? error.message;
  return error.path === undefined ? `${error.message}.` : `Cannot use ${error.path}: ${reason}.`;
}
