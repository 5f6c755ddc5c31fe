import type { ProjectMode } from '@permitry/protocol';
import { type Caller, type OperatorCaller, type SessionCaller, toActor } from '../access/caller.ts';
import { forbidden } from '../access/forbidden.ts';
import type { AuditWriter } from '../audit/audit-event.ts';
import { GateError } from '../kernel/errors.ts';
import type { Instant } from '../kernel/instant.ts';
import { invalidFields } from '../kernel/invalid-fields.ts';
import { LABEL_RULE, toLabel } from '../kernel/label.ts';
import type { AfterCommit } from '../kernel/storage.ts';
import { DEFAULT_POLICY } from '../policy/default-policy.ts';
import { parsePolicy } from '../policy/policy.ts';
import type { ChangeDeps } from './change-deps.ts';
import { beginChange } from './change-project.ts';
import { EMAIL_RULE, toEmailAddress } from './email-address.ts';
import { ensureUser } from './ensure-user.ts';
import type { Project, ProjectReader, ProjectWriter, User } from './project.ts';

export interface NewProject {
  name: string;
  mode: ProjectMode;
  ownerEmail: string;
}

export interface CreatedProject {
  project: Project;
  owner: User;
}

/**
 * Creates a project with its first owner and the default policy, which leaves every decision to people. The mode cannot
 * be changed later.
 *
 * @throws GateError `forbidden` to everyone but the operator, `invalid_fields`, `conflict` for a name in use
 */
export async function createProject(
  gate: ChangeDeps,
  caller: Caller,
  input: NewProject,
): Promise<CreatedProject> {
  const operator = assertOperator(caller);
  const checked = checkNewProject(input);
  const now = gate.clock.now();
  return gate.storage.transaction((tx) => insertNewProject(gate, tx, operator, checked, now));
}

export function assertOperator(caller: Caller): OperatorCaller {
  if (caller.kind !== 'operator') throw forbidden('operator');
  return caller;
}

/** The input with its texts normalised. */
export function checkNewProject(input: NewProject): NewProject {
  const name = toLabel(input.name);
  const ownerEmail = toEmailAddress(input.ownerEmail);
  if (name === undefined || ownerEmail === undefined)
    throw invalidFields(
      name === undefined && { path: '/name', message: LABEL_RULE },
      ownerEmail === undefined && { path: '/owner', message: EMAIL_RULE },
    );
  return { name, mode: input.mode, ownerEmail };
}

/** @param ownId The project that gets the name. Null: a new project. */
export async function assertNameFree(tx: ProjectReader, name: string, ownId: string | null): Promise<void> {
  const wanted = name.toLowerCase();
  const projects = await tx.listProjects();
  if (projects.some((project) => project.id !== ownId && project.name.toLowerCase() === wanted))
    throw new GateError('conflict', `A project named ${name} already exists.`, {});
}

/** Writes the rows and the first event of a new project, in the caller's transaction. */
export async function insertNewProject(
  gate: Pick<ChangeDeps, 'ids' | 'ledger'>,
  tx: AfterCommit & AuditWriter & ProjectReader & ProjectWriter,
  maker: OperatorCaller | SessionCaller,
  input: NewProject,
  now: Instant,
): Promise<CreatedProject> {
  await assertNameFree(tx, input.name, null);

  const project: Project = {
    id: gate.ids.next('prj'),
    name: input.name,
    mode: input.mode,
    stoppedAt: null,
    rateLimitPerMinute: null,
    policySecondPerson: false,
    revision: 0,
    createdAt: now,
  };
  const policy = parsePolicy(DEFAULT_POLICY);
  if (!policy.ok) throw new Error('the default policy does not parse', { cause: policy.problems });
  const owner = await ensureUser(gate, tx, input.ownerEmail, now);
  await tx.insertProject(project);
  await tx.saveMember({
    projectId: project.id,
    userId: owner.id,
    email: owner.email,
    role: 'owner',
    createdAt: now,
  });
  await tx.insertPolicyVersion({
    projectId: project.id,
    version: 1,
    hash: policy.policy.hash,
    document: DEFAULT_POLICY,
    createdAt: now,
    createdBy: toActor(maker).display,
  });
  await beginChange(gate, tx, maker, project, now).record(
    'project.created',
    {
      name: project.name,
      mode: project.mode,
      owner_id: owner.id,
      owner: owner.email,
      policy_hash: policy.policy.hash,
    },
    ['/data/owner'],
  );
  return { project, owner };
}
