/**
 * Sees to it, before any test, that the shim can be compiled: on an unattended Debian with root, such as CI, it
 * installs the smallest compiler there is. Elsewhere it installs nothing, and the tests that need the shim say what to
 * install.
 */
import { spawnSync } from 'node:child_process';
import { CannotRun } from '../scenario.ts';
import { compileShim } from './shim.ts';

const PACKAGES = ['tcc', 'libc6-dev'];

export default function installCompiler(): void {
  if (canCompile() || !mayInstall()) return;
  const log = (line: string) => process.stderr.write(`tests of crashes and faults: ${line}\n`);
  log(`no C compiler here; installing ${PACKAGES.join(' and ')} with apt-get (root, unattended).`);
  for (const args of [
    ['update', '-q'],
    ['install', '-y', '-q', '--no-install-recommends', ...PACKAGES],
  ]) {
    const { status } = spawnSync('apt-get', args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
    if (status !== 0) {
      log(`apt-get ${args.join(' ')} failed; the tests that need a compiler will be skipped.`);
      return;
    }
  }
  log(canCompile() ? 'installed.' : 'installed, and the shim still cannot be compiled.');
}

function canCompile(): boolean {
  try {
    compileShim();
    return true;
  } catch (error) {
    if (error instanceof CannotRun) return false;
    throw error;
  }
}

/** Nobody's own machine is changed unasked. */
function mayInstall(): boolean {
  const unattended = process.env.CI !== undefined || !process.stdout.isTTY;
  return (
    process.platform === 'linux' &&
    process.getuid?.() === 0 &&
    unattended &&
    spawnSync('apt-get', ['--version'], { stdio: 'ignore' }).status === 0
  );
}
