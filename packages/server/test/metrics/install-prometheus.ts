/** Sees to it, before any test, that there are promtool and Prometheus to read a gate's metrics with. */
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
