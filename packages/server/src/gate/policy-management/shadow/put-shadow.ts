import type { JsonObject } from '@permitry/protocol';
import { assertScope } from '../../access/assert-scope.ts';
import { type Caller, toActor } from '../../access/caller.ts';
import { type FieldProblem, GateError } from '../../kernel/errors.ts';
import { invalidFields } from '../../kernel/invalid-fields.ts';
import { unknownShadow } from '../../kernel/not-found.ts';
import { parsePolicy } from '../../policy/policy.ts';
import { changeProject } from '../../projects/change-project.ts';
import { assertApproversKnown } from '../assert-approvers-known.ts';
import type { PolicyDeps } from '../policy-deps.ts';
import type { ShadowPolicy } from './shadow-policy.ts';

export interface NewShadow {
  projectId: string;
  document: JsonObject;
  /**
   * Hash of the shadow policy that the change is based on. The change is refused if another shadow policy is set now.
   */
  ifMatch?: string;
}

export interface StoredShadow {
  shadow: ShadowPolicy;
  /** Reasons for a second look at the accepted policy. Paths as in problems. */
  warnings: readonly FieldProblem[];
}

/**
 * Sets the shadow policy for all later requests. A new document starts new counts. If the document is already the
 * shadow policy, returns it unchanged.
 *
 * @throws GateError `forbidden`, `project_not_found`, `invalid_fields` (paths are JSON Pointers into the document),
 * `approver_not_found`, `precondition_failed`
 */
export async function putShadow(gate: PolicyDeps, caller: Caller, input: NewShadow): Promise<StoredShadow> {
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
      const known = await tx.findShadow(project.id);
      assertIsShadow(known, input.ifMatch);
      // Refuses unknown approvers as publishing does: they could not approve then either.
      const warnings = [...parsed.warnings, ...(await assertApproversKnown(tx, project.id, policy))];
      if (known && known.hash === policy.hash) return { shadow: known, warnings };

      const shadow: ShadowPolicy = {
        projectId: project.id,
        hash: policy.hash,
        document: policy.document,
        since: now,
        createdBy: toActor(author).display,
        evaluated: 0,
        diverged: 0,
      };
      await tx.replaceShadow(shadow);
      await record('shadow.updated', { hash: shadow.hash, previous_hash: known?.hash ?? null });
      return { shadow, warnings };
    },
  );
}

/**
 * Removes the shadow policy and its findings.
 *
 * @throws GateError `forbidden`, `project_not_found`, `not_found`, `precondition_failed`
 */
export async function removeShadow(
  gate: PolicyDeps,
  caller: Caller,
  input: { projectId: string; ifMatch?: string },
): Promise<void> {
  await changeProject(gate, caller, input.projectId, 'policies:write', async ({ tx, project, record }) => {
    const known = await tx.findShadow(project.id);
    if (!known) throw unknownShadow();
    assertIsShadow(known, input.ifMatch);
    await tx.removeShadow(project.id);
    await record('shadow.removed', { hash: known.hash });
  });
}

function assertIsShadow(known: ShadowPolicy | undefined, ifMatch: string | undefined): void {
  if (ifMatch === undefined || ifMatch === known?.hash) return;
  const now = known
    ? `The shadow policy is now ${known.hash}; read it and base the change on it.`
    : 'There is no shadow policy now; send the change without If-Match.';
  throw new GateError('precondition_failed', now, {});
}
