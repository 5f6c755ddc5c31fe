import type { Caller } from '../../gate/access/caller.ts';
import type { ApiKey, CredentialWriter } from '../../gate/access/credential.ts';
import { notFound } from '../../gate/kernel/not-found.ts';
import { changeProject, type ProjectChange } from '../../gate/projects/change-project.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { type KeyRecord, toKeyRecord } from './mint-key.ts';

/**
 * Revokes a key for good, from the next request on. A credential may revoke itself. Idempotent.
 * @throws GateError `project_not_found`, `forbidden`, `not_found`
 */
export function revokeKey(
  gate: PeopleDeps,
  caller: Caller,
  input: { projectId: string; keyId: string },
): Promise<KeyRecord> {
  return changeProject(gate, caller, input.projectId, 'keys:write', async (change) => {
    const key = await change.tx.findKey(input.keyId);
    if (!key || key.projectId !== input.projectId) throw notFound('key in this project');
    await endKey(change, key, {});
    return toKeyRecord((await change.tx.findKey(key.id)) ?? key);
  });
}

/** Revokes the key if it is not revoked yet, and records the event. */
export async function endKey(
  { tx, now, record }: Pick<ProjectChange<CredentialWriter>, 'tx' | 'now' | 'record'>,
  key: Pick<ApiKey, 'id' | 'kind' | 'name' | 'hint' | 'ownerId'>,
  because: { reason?: string },
): Promise<void> {
  if (!(await tx.revokeKey(key.id, now))) return;
  const { id, kind, name, hint, ownerId } = key;
  const data = { key_id: id, kind, name, hint, owner_id: ownerId, ...because };
  await record('key.revoked', data, ['/data/name']);
}
