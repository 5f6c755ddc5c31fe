import type { Caller } from '../access/caller.ts';
import { assertGoodStanding } from '../access/standing.ts';
import type { SettingsDeps } from './settings-deps.ts';

/**
 * Call it before an earlier answer to this caller is repeated. Checks that the project is running and that a calling
 * agent is not paused. The credential was already looked up for this request.
 */
export async function assertCallerStanding(
  gate: Pick<SettingsDeps, 'projectSettings'>,
  caller: Caller,
): Promise<void> {
  if (!('projectId' in caller)) return;
  const { projectId, revision } = caller;
  const settings =
    gate.projectSettings.kept(projectId, revision) ?? (await gate.projectSettings.current(projectId));
  assertGoodStanding(settings, caller.kind === 'agent' ? caller.agent : null);
}
