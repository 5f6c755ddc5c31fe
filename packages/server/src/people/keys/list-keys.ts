import { assertReads } from '../../gate/access/assert-scope.ts';
import type { Caller } from '../../gate/access/caller.ts';
import { type Page, type PageRequest, pageByIds } from '../../gate/kernel/page.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { type KeyRecord, toKeyRecord } from './mint-key.ts';

/**
 * The project's keys, newest first, including revoked and expired ones. User tokens belong to people and are not here.
 */
export async function listKeys(
  gate: Pick<PeopleDeps, 'storage'>,
  caller: Caller,
  input: PageRequest & { projectId: string },
): Promise<Page<KeyRecord>> {
  const { read } = gate.storage;
  await assertReads(read, caller, 'keys:read', input.projectId);
  const page = await pageByIds(input, 'key_', (rows) => read.listKeys(input.projectId, rows));
  return { items: page.items.map(toKeyRecord), nextCursor: page.nextCursor };
}
