import type { Clock } from '../kernel/clock.ts';
import type { Ids } from '../kernel/ids.ts';
import type { Storage } from '../kernel/storage.ts';
import type { SimulationReader } from '../policy-management/simulation/simulation-job.ts';
import type { ProjectReader } from '../projects/project.ts';
import type { OverviewReader } from './overview.ts';

/** Dependencies of the overview. */
export interface OverviewDeps {
  storage: Storage<OverviewReader & ProjectReader & SimulationReader>;
  clock: Clock;
  ids: Ids;
}
