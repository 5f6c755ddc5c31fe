import type { Caller } from '../access/caller.ts';
import { invalidFields } from '../kernel/invalid-fields.ts';
import type { ChangeDeps } from './change-deps.ts';
import { changeProject } from './change-project.ts';
import { assertOperator } from './create-project.ts';

const MOST = 1_000_000;

/**
 * Sets the project's rate limit in requests a minute. 0: no limit; null: the gate's own setting. Only for the operator,
 * so that a project cannot give itself more. Idempotent.
 *
 * @throws GateError `project_not_found`, `invalid_fields`, `forbidden` to everyone but the operator
 */
export async function setRateLimit(
  gate: ChangeDeps,
  caller: Caller,
  { projectId, perMinute }: { projectId: string; perMinute: number | null },
): Promise<void> {
  const operator = assertOperator(caller);
  if (perMinute !== null && !(Number.isInteger(perMinute) && perMinute >= 0 && perMinute <= MOST))
    throw invalidFields({ path: '/per_minute', message: `Must be a whole number from 0 to ${MOST}.` });
  await changeProject(gate, operator, projectId, 'project:write', async ({ tx, project, record }) => {
    if (perMinute === project.rateLimitPerMinute) return;
    await tx.setProjectRateLimit(projectId, perMinute);
    await record('project.limit_updated', { per_minute: perMinute });
  });
}
