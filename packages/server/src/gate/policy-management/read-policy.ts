import { assertScope } from '../access/assert-scope.ts';
import type { Caller } from '../access/caller.ts';
import { unknownProject } from '../kernel/not-found.ts';
import { onlyGiven } from '../kernel/only-given.ts';
import { cutPage, numberCursor, type Page, type PageRequest, pageLimit } from '../kernel/page.ts';
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
  const beforeVersion = numberCursor(input);
  const versions = await gate.storage.read.listPolicyVersions(input.projectId, {
    ...onlyGiven({ beforeVersion }),
    limit: limit + 1,
  });
  return cutPage(versions, limit, ({ version }) => String(version));
}
