/** The compiled shim, and the environment of a process that has it. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { CannotRun } from '../scenario.ts';

const SOURCE = join(import.meta.dirname, 'faults-shim.c');
const KEPT_IN = join(import.meta.dirname, '../../../node_modules/.cache/permitry-faults');
const COMPILERS = ['cc', 'gcc', 'clang', 'tcc'];

const INSTALL =
  'a C compiler with the headers of libc, on Debian: apt-get install --no-install-recommends tcc libc6-dev';

/**
 * The path of the compiled shim.
 *
 * @throws CannotRun with what to install
 */
export function compileShim(): string {
  if (process.platform !== 'linux')
    throw new CannotRun('this is tried on Linux only: it needs LD_PRELOAD and /proc.');
  const version = createHash('sha256').update(readFileSync(SOURCE)).digest('hex').slice(0, 16);
  const compiled = join(KEPT_IN, `shim-${version}.so`);
  if (/[\s:]/.test(compiled))
    throw new CannotRun(`LD_PRELOAD takes no path with spaces or colons: ${compiled}`);
  if (existsSync(compiled)) return compiled;
  mkdirSync(KEPT_IN, { recursive: true });
  const draft = `${compiled}.${process.pid}`;
  const failures: string[] = [];
  for (const compiler of COMPILERS) {
    const { status, stderr, error } = spawnSync(compiler, ['-shared', '-fPIC', '-o', draft, SOURCE, '-ldl'], {
      encoding: 'utf8',
    });
    if (status === 0) {
      // Somebody else may have compiled it meanwhile: the same, under the same name.
      renameSync(draft, compiled);
      return compiled;
    }
    if (!error) failures.push(`${compiler}: ${stderr}`);
  }
  throw new CannotRun(`${failures.join('\n')}${failures.length > 0 ? '\n' : ''}install ${INSTALL}`);
}

/** @param root whose files are watched; its real path */
export function shimEnvironment(
  shim: string,
  root: string,
  control?: string,
  journal?: string,
): NodeJS.ProcessEnv {
  return {
    LD_PRELOAD: shim,
    FAULTS_ROOT: root,
    // Writes that go by io_uring would pass the shim by.
    UV_USE_IO_URING: '0',
    ...(control === undefined ? {} : { FAULTS_CONTROL: control }),
    ...(journal === undefined ? {} : { FAULTS_JOURNAL: journal }),
  };
}
