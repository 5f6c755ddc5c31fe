/** Before any test, makes sure that promtool and Prometheus are available to read a gate's metrics. */
import { spawnSync } from 'node:child_process';
import { installDebianPackages } from '../../../../test/install-debian-packages.ts';

export default function installPrometheus(): void {
  if (!hasPrometheus()) installDebianPackages(['prometheus'], 'tests of metrics');
}

export function hasPrometheus(): boolean {
  return ['promtool', 'prometheus'].every(
    (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0,
  );
}
