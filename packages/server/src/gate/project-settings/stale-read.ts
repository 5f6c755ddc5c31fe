import { refreshCaller } from '../access/authenticate-key.ts';
import { type Caller, isPerson } from '../access/caller.ts';
import type { CredentialReader } from '../access/credential.ts';
import { roleOf } from '../access/role-of.ts';
import type { SessionReader } from '../access/session.ts';
import { GateError } from '../kernel/errors.ts';
import { currentCaller } from '../projects/current-caller.ts';
import type { ProjectReader } from '../projects/project.ts';
import type { ProjectSettings } from './project-settings.ts';
import type { SettingsDeps } from './settings-deps.ts';

/** Thrown when data that an operation read before its transaction has changed. The operation then starts over. */
export class StaleReadError extends Error {
  constructor() {
    super('what was read before the transaction has changed');
    this.name = 'StaleReadError';
  }
}

/**
 * Each failed attempt lost to a successful one, so the number of attempts is bounded by the number of concurrent
 * changes. The limit only keeps a fault from looping.
 */
const MOST_ATTEMPTS = 500;

/**
 * Retries an optimistic operation until its transaction confirms the data that it read. The steps are: read, rule,
 * sign, guarded write.
 *
 * @param attempt Receives the caller, looked up again for every attempt except the first. The concurrent change may
 * have revoked the credential itself.
 */
export async function retryWhenStale<T>(
  gate: Pick<SettingsDeps, 'clock' | 'storage'>,
  caller: Caller,
  attempt: (caller: Caller) => Promise<T>,
): Promise<T> {
  let current = caller;
  for (let attempts = 0; attempts < MOST_ATTEMPTS; attempts += 1) {
    try {
      return await attempt(current);
    } catch (error) {
      if (!(error instanceof StaleReadError)) throw error;
    }
    current = await refreshCaller(gate, caller);
  }
  throw new GateError('service_unavailable', 'Too many simultaneous changes; try again.', {
    retry_after_seconds: 1,
  });
}

/**
 * The project's settings at the revision under which the caller was looked up. Returns them without a promise if they
 * are in memory.
 */
export function settingsFor(
  { projectSettings }: Pick<SettingsDeps, 'projectSettings'>,
  caller: Caller,
  projectId: string,
): ProjectSettings | Promise<ProjectSettings> {
  if (!('revision' in caller)) return projectSettings.current(projectId);
  return projectSettings.kept(projectId, caller.revision) ?? readFor(projectSettings, caller, projectId);
}

async function readFor(
  projectSettings: SettingsDeps['projectSettings'],
  { revision }: { revision: number },
  projectId: string,
): Promise<ProjectSettings> {
  const settings = await projectSettings.current(projectId);
  if (settings.revision !== revision) throw new StaleReadError();
  return settings;
}

/**
 * Checks in the transaction that nothing changed since the rule was applied. The project's revision covers settings,
 * policy, agents, people and keys. A person's token or session belongs to no project and is checked too.
 */
export async function assertCurrent(
  gate: Pick<SettingsDeps, 'clock'>,
  tx: CredentialReader & ProjectReader & SessionReader,
  caller: Caller,
  settings: ProjectSettings,
): Promise<void> {
  const { projectId: id, revision, mode } = settings;
  if (!(await tx.isAtRevision(id, revision))) throw new StaleReadError();
  if (!isPerson(caller)) return;
  const current = await currentCaller(tx, caller, { id, mode }, gate.clock.now());
  if (!current || roleOf(current, id) !== roleOf(caller, id)) throw new StaleReadError();
}
