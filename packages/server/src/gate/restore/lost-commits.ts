/**
 * Owns what follows when a database is found to lack commits that gates were told were durable: whatever was used in
 * what was lost would be good once more, so nothing is changed or verified until the operator has declared it restored.
 */
import type { InstallationWriter } from '../installation/installation.ts';
import { GateError } from '../kernel/errors.ts';
import type { Instant } from '../kernel/instant.ts';
import type { ProjectReader, ProjectWriter } from '../projects/project.ts';

/** What a gate knows of such a loss. */
export interface Losses {
  /** Until when the database still held everything, when a loss is known; null: none is. */
  readonly intactUntil: Instant | null;
  /**
   * To be asked before and after whatever writes or verifies. Where another server has taken over from the one that was
   * written to, it waits until this one was looked at.
   *
   * @throws GateError `service_unavailable` from the moment a loss is known
   */
  assertNone(): Promise<void>;
  /** As `assertNone`, and reads whether another gate has noticed one. */
  poll(): Promise<void>;
  /** The commit that wrote this event is durable, as the database said. */
  acknowledged(projectId: string, eventId: string): void;
}

/** Of a database that only one process has, and of one that nobody serves. */
export const NO_LOSSES: Losses = {
  intactUntil: null,
  async assertNone() {},
  async poll() {},
  acknowledged() {},
};

/** Its operator reads a manual first. */
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
 * Says in the database that it lacks commits. A gate reads that at its next call about a request or permit, since no
 * settings it keeps are of the newest revision any more; else within a few seconds.
 */
export async function markCommitsLost(
  tx: InstallationWriter & ProjectReader & ProjectWriter,
  intactUntil: Instant,
): Promise<void> {
  if (!(await tx.insertInstallationFact('commits_lost', intactUntil))) return;
  for (const { id } of await tx.listProjects()) await tx.bumpProjectRevision(id);
}
