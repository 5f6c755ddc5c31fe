import type { JsonObject } from '@permitry/protocol';
import { assertScope } from '../access/assert-scope.ts';
import { type Caller, toActor } from '../access/caller.ts';
import { type FieldProblem, GateError } from '../errors.ts';
import type { Gate } from '../gate.ts';
import { invalidFields } from '../invalid-fields.ts';
import { changeProject } from '../projects/change-project.ts';
import type { PolicyVersion } from '../projects/project.ts';
import { unknownProject } from '../projects/unknown-project.ts';
import { assertApproversKnown } from './assert-approvers-known.ts';
import { parsePolicy } from './policy.ts';

export interface NewPolicy {
  projectId: string;
  document: JsonObject;
  /** The hash of the policy in force that the change was made from; refused when another one is in force by now. */
  ifMatch?: string;
}

export interface StoredPolicy {
  policy: PolicyVersion;
  /** What is accepted and yet deserves a second look; paths as in problems. */
  warnings: readonly FieldProblem[];
}

/**
 * Puts a new policy in force, from the next request on. The document in force already is answered as it is.
 *
 * Transactions run one after another, so two puts at once give two versions in a row, or, with `ifMatch`, one version
 * and one refusal.
 *
 * @throws GateError `forbidden`, `project_not_found`, `invalid_fields` (paths are JSON Pointers into the document),
 *   `approver_not_found`, `precondition_failed`
 */
export async function putPolicy(gate: Gate, caller: Caller, input: NewPolicy): Promise<StoredPolicy> {
  assertScope(caller, 'policies:write', input.projectId);
  const parsed = parsePolicy(input.document);
  if (!parsed.ok) throw invalidFields(...parsed.problems);
  const { policy } = parsed;

  return changeProject(
    gate,
    caller,
    input.projectId,
    'policies:write',
    async ({ tx, now, project, caller: author, record }) => {
      const inForce = await tx.findPolicy(project.id);
      if (!inForce) throw unknownProject();
      if (input.ifMatch !== undefined && input.ifMatch !== inForce.hash) throw anotherInForce(inForce);
      const warnings = [...parsed.warnings, ...(await assertApproversKnown(tx, project.id, policy))];
      if (policy.hash === inForce.hash) return { policy: inForce, warnings };

      const version: PolicyVersion = {
        projectId: project.id,
        version: inForce.version + 1,
        hash: policy.hash,
        document: policy.document,
        createdAt: now,
        createdBy: toActor(author).display,
      };
      await tx.insertPolicyVersion(version);
      await record('policy.updated', {
        version: version.version,
        hash: version.hash,
        previous_hash: inForce.hash,
      });
      return { policy: version, warnings };
    },
  );
}

function anotherInForce(inForce: PolicyVersion): GateError {
  return new GateError(
    'precondition_failed',
    `Version ${inForce.version} (${inForce.hash}) is in force by now; read it and make the change from it.`,
    {},
  );
}
