/**
 * Owns what happens when a database lacks commits that it had confirmed as durable. A permit that was used in the lost
 * part could be used again. So nothing is changed or verified until the operator has declared the database restored.
 */
import type { InstallationWriter } from '../installation/installation.ts';
import { GateError } from '../kernel/errors.ts';
import type { Instant } from '../kernel/instant.ts';
import type { ProjectReader, ProjectWriter } from '../projects/project.ts';

/** What a gate knows about such a loss. */
export interface Losses {
  /** Until when the database was complete, if a loss is known. Null: no loss is known. */
  readonly intactUntil: Instant | null;
  /**
   * Call it before and after every operation that writes or verifies. If another database server took over, waits until
   * that server was checked.
   *
   * @throws GateError `service_unavailable` from the moment a loss is known
   */
  assertNone(): Promise<void>;
  /** Like `assertNone`, but also reads whether another gate has noticed a loss. */
  poll(): Promise<void>;
  /** Call it when the database has confirmed that the commit of this event is durable. */
  acknowledged(projectId: string, eventId: string): void;
}

/** For a database that only one process uses, and for a database that no gate serves. */
export const NO_LOSSES: Losses = {
  intactUntil: null,
  async assertNone() {},
  async poll() {},
  acknowledged() {},
};

/** Long, because the operator reads a manual first. */
const RETRY_AFTER_SECONDS = 60;

export function commitsLost(): GateError<'service_unavailable'> {
  return new GateError(
    'service_unavailable',
    'The database lost changes that were already acknowledged. Until the operator has run permitry declare-restored ' +
      'and started the gates again, nothing is changed or verified.',
    { retry_after_seconds: RETRY_AFTER_SECONDS },
  );
}

/**
 * Records in the database that it lacks commits. Other gates read the record at their next call about a request or
 * permit, because their cached settings are no longer at the newest revision. Otherwise they read it within a few
 * seconds.
 */
export async function markCommitsLost(
  tx: InstallationWriter & ProjectReader & ProjectWriter,
  intactUntil: Instant,
): Promise<void> {
  if (!(await tx.insertInstallationFact('commits_lost', intactUntil))) return;
  for (const { id } of await tx.listProjects()) await tx.bumpProjectRevision(id);
}
