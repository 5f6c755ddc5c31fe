/** The compiled shim, and the environment of a process that uses it. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CannotRun } from '../scenario.ts';

const SOURCE = join(import.meta.dirname, 'faults-shim.c');
const KEPT_IN = join(import.meta.dirname, '../../../node_modules/.cache/permitry-faults');
const COMPILERS = ['cc', 'gcc', 'clang', 'tcc'];

const INSTALL =
  'a C compiler with the headers of libc, on Debian: apt-get install --no-install-recommends tcc libc6-dev';

/**
 * Returns the path of the compiled shim.
 *
 * @throws CannotRun that says what to install
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
    if (status === 0 && works(draft)) {
      // Another process may have compiled the same library in the meantime, under the same name.
      renameSync(draft, compiled);
      return compiled;
    }
    if (!error) failures.push(`${compiler}: ${status === 0 ? 'what it makes does not load' : stderr}`);
  }
  throw new CannotRun(`${failures.join('\n')}${failures.length > 0 ? '\n' : ''}install ${INSTALL}`);
}

/** Whether a process with the shim writes its journal. */
function works(compiled: string): boolean {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'permitry-faults-shim-')));
  try {
    const journal = join(folder, 'journal');
    const script = "const fs = require('node:fs'); const f = fs.openSync('tried', 'w'); fs.fsyncSync(f)";
    const { status } = spawnSync(process.execPath, ['-e', script], {
      cwd: folder,
      env: { ...process.env, ...shimEnvironment(compiled, folder, undefined, journal) },
    });
    return status === 0 && existsSync(journal) && statSync(journal).size > 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param root The real path of the folder whose files are watched. */
export function shimEnvironment(
  shim: string,
  root: string,
  control?: string,
  journal?: string,
): NodeJS.ProcessEnv {
  return {
    LD_PRELOAD: shim,
    FAULTS_ROOT: root,
    // Writes through io_uring would bypass the shim.
    UV_USE_IO_URING: '0',
    ...(control === undefined ? {} : { FAULTS_CONTROL: control }),
    ...(journal === undefined ? {} : { FAULTS_JOURNAL: journal }),
  };
}
