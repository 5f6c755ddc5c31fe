/**
 * Installs what a test needs on the machine, but only on an unattended Debian with root, such as CI. A person's own
 * machine is never changed.
 */
import { spawnSync } from 'node:child_process';

/**
 * @param purpose Begins every line of the output, e.g. `tests in a browser`.
 * @returns Whether the packages were installed. Failures go to stderr.
 * @example installDebianPackages(['tcc', 'libc6-dev'], 'tests of crashes and faults')
 */
export function installDebianPackages(packages: readonly string[], purpose: string): boolean {
  if (!mayInstall()) return false;
  const log = (line: string) => process.stderr.write(`${purpose}: ${line}\n`);
  log(`installing ${packages.join(' and ')} with apt-get (root, unattended).`);
  const steps = [
    ['update', '-q'],
    ['install', '-y', '-q', '--no-install-recommends', ...packages],
  ];
  for (const step of steps) {
    const { status } = spawnSync('apt-get', step, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
    if (status !== 0) {
      log(`apt-get ${step.join(' ')} failed.`);
      return false;
    }
  }
  return true;
}

function mayInstall(): boolean {
  const unattended = process.env.CI !== undefined || !process.stdout.isTTY;
  return (
    process.platform === 'linux' &&
    process.getuid?.() === 0 &&
    unattended &&
    spawnSync('apt-get', ['--version'], { stdio: 'ignore' }).status === 0
  );
}
