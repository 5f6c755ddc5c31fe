/** Three gates on one PostgreSQL database with a synchronous standby, and what may happen to them. */
import { databaseFull } from './cluster/database-full.ts';
import type { Fault } from './cluster/fault.ts';
import { gateCutOff } from './cluster/gate-cut-off.ts';
import { gateFrozen } from './cluster/gate-frozen.ts';
import { gateKilled } from './cluster/gate-killed.ts';
import { onCluster, oneAfterAnotherOnCluster } from './cluster/on-cluster.ts';
import { primaryKilled } from './cluster/primary-killed.ts';
import { standbyGone } from './cluster/standby-gone.ts';
import { webhooks } from './cluster/webhooks.ts';

/** The fault that replaces the primary comes last, because only the first primary's disk can be filled. */
const FAULTS: readonly Fault[] = [
  databaseFull,
  gateKilled,
  gateFrozen,
  gateCutOff,
  standbyGone,
  primaryKilled,
];

/** Each alone. */
export const clusterScenarios = [...FAULTS.map(onCluster), webhooks];

export const severalGates = oneAfterAnotherOnCluster('several-gates', FAULTS);
