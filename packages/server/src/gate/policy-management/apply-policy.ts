import type { JsonObject } from '@permitry/protocol';
import type { CompiledPolicy } from '../policy/policy.ts';
import type { ProjectChange } from '../projects/change-project.ts';
import type { PolicyVersion } from '../projects/project.ts';

/** Publishes a policy as the next version and records the event, in the transaction of the change. */
export async function applyPolicy(
  { tx, now, project, record }: ProjectChange,
  policy: CompiledPolicy,
  inForce: PolicyVersion,
  { createdBy, tells = {} }: { createdBy: string; tells?: JsonObject },
): Promise<PolicyVersion> {
  const version: PolicyVersion = {
    projectId: project.id,
    version: inForce.version + 1,
    hash: policy.hash,
    document: policy.document,
    createdAt: now,
    createdBy,
  };
  await tx.insertPolicyVersion(version);
  await record('policy.updated', {
    version: version.version,
    hash: version.hash,
    previous_hash: inForce.hash,
    ...tells,
  });
  return version;
}
