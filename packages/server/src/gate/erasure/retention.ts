/** How long a project keeps texts. */
import type { Caller } from '../access/caller.ts';
import type { Gate } from '../gate.ts';
import { invalidFields } from '../invalid-fields.ts';
import { changeProject } from '../projects/change-project.ts';

/** A hundred years: whoever means "for ever" says 0. */
const MOST_DAYS = 36_500;

/**
 * Sets after how many days texts of the project are erased; 0: never; null: as the gate's own setting says. What has
 * been erased does not come back.
 *
 * @throws GateError `project_not_found`, `forbidden`, `invalid_fields`
 */
export async function setRetention(
  gate: Gate,
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
