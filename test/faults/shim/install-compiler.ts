/**
 * Before any test, ensures that the shim can be compiled. On an unattended Debian with root, such as CI, it installs
 * the smallest compiler available. Elsewhere it installs nothing, and the tests that need the shim say what to install.
 */
import { installDebianPackages } from '../../install-debian-packages.ts';
import { CannotRun } from '../scenario.ts';
import { compileShim } from './shim.ts';

const PACKAGES = ['tcc', 'libc6-dev'];

export default function installCompiler(): void {
  if (canCompile() || !installDebianPackages(PACKAGES, 'tests of crashes and faults')) return;
  if (!canCompile()) process.stderr.write('installed, and the shim still cannot be compiled.\n');
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
