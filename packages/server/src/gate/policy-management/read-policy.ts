import { assertScope } from '../access/assert-scope.ts';
import type { Caller } from '../access/caller.ts';
import { invalidFields } from '../kernel/invalid-fields.ts';
import { unknownProject } from '../kernel/not-found.ts';
import { type Page, type PageRequest, pageLimit } from '../kernel/page.ts';
import type { PolicyVersion } from '../projects/project.ts';
import type { PolicyDeps } from './policy-deps.ts';

/**
 * Returns the active policy; its hash is its ETag.
 *
 * @throws GateError `project_not_found`, `forbidden`
 */
export async function getPolicy(
  gate: Pick<PolicyDeps, 'storage'>,
  caller: Caller,
  input: { projectId: string },
): Promise<PolicyVersion> {
  assertScope(caller, 'policies:read', input.projectId);
  const policy = await gate.storage.read.findPolicy(input.projectId);
  if (!policy) throw unknownProject();
  return policy;
}

/**
 * Lists every version, newest first; the cursor is the last version seen.
 *
 * @throws GateError `project_not_found`, `forbidden`, `invalid_fields`
 */
export async function listPolicyVersions(
  gate: Pick<PolicyDeps, 'storage'>,
  caller: Caller,
  input: { projectId: string } & PageRequest,
): Promise<Page<PolicyVersion>> {
  assertScope(caller, 'policies:read', input.projectId);
  const limit = pageLimit(input);
  const { cursor } = input;
  if (cursor !== undefined && !/^[1-9]\d{0,14}$/.test(cursor)) {
    throw invalidFields({ path: '/cursor', message: 'Must be the next_cursor of an earlier page.' });
  }
  const versions = await gate.storage.read.listPolicyVersions(input.projectId, {
    ...(cursor === undefined ? {} : { beforeVersion: Number(cursor) }),
    limit: limit + 1,
  });
  const items = versions.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: versions.length > limit && last ? String(last.version) : null };
}
