/** How long a project keeps texts. */
import { assertScope } from '../access/assert-scope.ts';
import type { Caller } from '../access/caller.ts';
import type { Intent } from '../intents/intent.ts';
import type { Instant } from '../kernel/instant.ts';
import { invalidFields } from '../kernel/invalid-fields.ts';
import { changeProject } from '../projects/change-project.ts';
import type { ErasureDeps } from './erasure-deps.ts';

/** How long a project keeps texts, and how far it has come. */
interface Retention {
  /** Its own days; null: the gate's. 0: for ever. */
  days: number | null;
  /** Place in the chain up to which the texts of events were looked at. */
  sweptEventSeq: number;
}

export interface RetentionReader {
  findRetention(projectId: string): Promise<Retention>;
  /** The next intents of the project that nobody has looked at yet, oldest first. */
  listUnsweptIntents(projectId: string, limit: number): Promise<readonly Intent[]>;
  /** Intents that were too young in this respect and are due by now. */
  listWaitingIntents(projectId: string, now: Instant, limit: number): Promise<readonly Intent[]>;
}

export interface RetentionWriter {
  setRetentionDays(projectId: string, days: number | null): Promise<void>;
  saveSweptEvent(projectId: string, seq: number): Promise<void>;
  /** Everything up to this intent was looked at. */
  saveSweptIntent(projectId: string, intentId: string): Promise<void>;
  /** Looks at the intent again then; null: no more. */
  saveWaitingIntent(intent: Pick<Intent, 'id' | 'projectId'>, dueAt: Instant | null): Promise<void>;
}

/**
 * After how many days texts of the project are erased; 0: never; null: as the gate's own setting says.
 *
 * @throws GateError `project_not_found`, `forbidden`
 */
export async function getRetention(
  gate: Pick<ErasureDeps, 'storage'>,
  caller: Caller,
  { projectId }: { projectId: string },
): Promise<number | null> {
  assertScope(caller, 'project:read', projectId);
  return (await gate.storage.read.findRetention(projectId)).days;
}

/** A hundred years: whoever means "for ever" says 0. */
const MOST_DAYS = 36_500;

/**
 * Sets after how many days texts of the project are erased; 0: never; null: as the gate's own setting says. What has
 * been erased does not come back.
 *
 * @throws GateError `project_not_found`, `forbidden`, `invalid_fields`
 */
export async function setRetention(
  gate: ErasureDeps,
  caller: Caller,
  { projectId, days }: { projectId: string; days: number | null },
): Promise<void> {
  if (days !== null && !(Number.isInteger(days) && days >= 0 && days <= MOST_DAYS)) {
    throw invalidFields({ path: '/days', message: `Must be a whole number of days from 0 to ${MOST_DAYS}.` });
  }
  await changeProject(gate, caller, projectId, 'texts:erase', async ({ tx, record }) => {
    await tx.setRetentionDays(projectId, days);
    await record('retention.updated', { days });
  });
}
