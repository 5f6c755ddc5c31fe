/** How long a project keeps texts. */
import { assertScope } from '../access/assert-scope.ts';
import type { Caller } from '../access/caller.ts';
import type { Intent } from '../intents/intent.ts';
import type { Instant } from '../kernel/instant.ts';
import { invalidFields } from '../kernel/invalid-fields.ts';
import { changeProject } from '../projects/change-project.ts';
import type { ErasureDeps } from './erasure-deps.ts';

/** How long a project keeps texts, and how far its sweep has come. */
interface Retention {
  /** The project's own days. Null: the gate's. 0: forever. */
  days: number | null;
  /** Place in the chain up to which the texts of events were examined. */
  sweptEventSeq: number;
}

export interface RetentionReader {
  findRetention(projectId: string): Promise<Retention>;
  /** The next unexamined intents of the project, oldest first. */
  listUnsweptIntents(projectId: string, limit: number): Promise<readonly Intent[]>;
  /** Intents that an earlier run found too young or still open, and that are due now. */
  listWaitingIntents(projectId: string, now: Instant, limit: number): Promise<readonly Intent[]>;
}

export interface RetentionWriter {
  setRetentionDays(projectId: string, days: number | null): Promise<void>;
  saveSweptEvent(projectId: string, seq: number): Promise<void>;
  /** Saves that everything up to this intent was examined. */
  saveSweptIntent(projectId: string, intentId: string): Promise<void>;
  /** Has the intent examined again at that time. Null: never again. */
  saveWaitingIntent(intent: Pick<Intent, 'id' | 'projectId'>, dueAt: Instant | null): Promise<void>;
}

/**
 * After how many days texts of the project are erased. 0: never; null: the gate's own setting.
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

/** A hundred years. To keep texts forever, use 0. */
const MOST_DAYS = 36_500;

/**
 * Sets after how many days texts of the project are erased. 0: never; null: the gate's own setting. Erased texts do not
 * come back.
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
