import type { EventType, JsonObject } from '@permitry/protocol';
import { assertPresentFor } from '../access/assert-present.ts';
import { assertScope } from '../access/assert-scope.ts';
import { type Caller, toActor } from '../access/caller.ts';
import type { CredentialReader } from '../access/credential.ts';
import { forbidden } from '../access/forbidden.ts';
import { holdsScope, type Scope } from '../access/scopes.ts';
import { unauthorized } from '../access/unauthorized.ts';
import type { AuditWriter } from '../audit/audit-event.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Remember } from '../kernel/idempotency.ts';
import type { Instant } from '../kernel/instant.ts';
import { unknownProject } from '../kernel/not-found.ts';
import type { AfterCommit } from '../kernel/storage.ts';
import type { ChangeDeps } from './change-deps.ts';
import { currentCaller } from './current-caller.ts';
import type { Project, ProjectReader, ProjectWriter } from './project.ts';

type ChangeTx = ProjectReader & ProjectWriter & AuditWriter & AfterCommit;

/** A change in progress of data that a project's revision covers. */
export interface ProjectChange<Tx = unknown> {
  tx: ChangeTx & Tx;
  now: Instant;
  project: Project;
  /** The caller as looked up in this transaction. */
  caller: Caller;
  /**
   * Writes the event of the change and raises the project's revision. An operation that changes nothing must not call
   * it.
   *
   * @param personal JSON Pointers of texts below `/data/` that contain personal data.
   */
  record(type: EventType, data: JsonObject, personal?: readonly string[]): Promise<void>;
}

/**
 * The steps that every management operation shares. Checks the caller's scope, first outside and again inside the
 * transaction. If the effect would outlive a session, also checks that a person is present. Then makes the change with
 * its event, the project's new revision and the answer for a repetition, together or not at all.
 */
export async function changeProject<T, Reads, Writes>(
  gate: ChangeDeps<Reads, Writes>,
  caller: Caller,
  projectId: string,
  scope: Scope,
  work: (change: ProjectChange<CredentialReader & Reads & Writes>) => Promise<T>,
  remember?: Remember<T>,
): Promise<T> {
  assertScope(caller, scope, projectId);
  assertPresentFor(gate, caller, scope);
  const now = gate.clock.now();
  return gate.storage.transaction(async (tx) => {
    const project = await tx.findProject(projectId);
    if (!project) throw unknownProject();
    const current = await currentCaller(tx, caller, project, now);
    if (!current) throw unauthorized();
    if (!holdsScope(current, scope, projectId)) throw forbidden(scope, current);
    const result = await work(beginChange(gate, tx, current, project, now));
    await remember?.(tx, result);
    return result;
  });
}

/** A change by a caller who is already authorised. */
export function beginChange<Tx>(
  gate: Pick<ChangeDeps, 'ids' | 'ledger'>,
  tx: ChangeTx & Tx,
  caller: Caller,
  project: Project,
  now: Instant,
): ProjectChange<Tx> {
  return {
    tx,
    now,
    project,
    caller,
    async record(type, data, personal = []) {
      await tx.bumpProjectRevision(project.id);
      await recordEvent(gate, tx, {
        projectId: project.id,
        type,
        occurredAt: now,
        actor: toActor(caller),
        data,
        personal,
      });
    },
  };
}
