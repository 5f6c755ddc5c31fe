import type { OperatorCaller } from '../../gate/access/caller.ts';
import type { RestoreReader } from '../../gate/restore/restored-copy.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { revokeKey } from './revoke-key.ts';
import { revokeUserToken } from './user-token.ts';

const AT_ONCE = 100;

/**
 * Revokes every valid key and user token of a restored gate, which cannot know which keys were revoked since the
 * backup. Records an event for each, and returns their number.
 */
export async function revokeAllKeys(
  gate: PeopleDeps<never, RestoreReader>,
  operator: OperatorCaller,
): Promise<number> {
  const keyIds = await gate.storage.read.listKeyIdsInForce(gate.clock.now());
  for (let from = 0; from < keyIds.length; from += AT_ONCE) {
    await Promise.all(keyIds.slice(from, from + AT_ONCE).map((keyId) => revoke(gate, operator, keyId)));
  }
  return keyIds.length;
}

async function revoke(gate: PeopleDeps, operator: OperatorCaller, keyId: string): Promise<void> {
  const key = await gate.storage.read.findKey(keyId);
  if (!key) return;
  if (key.projectId === null) await revokeUserToken(gate, operator, { keyId });
  else await revokeKey(gate, operator, { projectId: key.projectId, keyId });
}
