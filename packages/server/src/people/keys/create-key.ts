import type { Caller } from '../../gate/access/caller.ts';
import type { CredentialWriter } from '../../gate/access/credential.ts';
import { forbidden } from '../../gate/access/forbidden.ts';
import { holdsScope } from '../../gate/access/scopes.ts';
import type { AgentReader, AgentWriter } from '../../gate/agents/agent.ts';
import { withPersonBehind } from '../../gate/approvals/people-behind-agent.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import type { Remember } from '../../gate/kernel/idempotency.ts';
import { invalidFields } from '../../gate/kernel/invalid-fields.ts';
import { changeProject, type ProjectChange } from '../../gate/projects/change-project.ts';
import { toEmailAddress } from '../../gate/projects/email-address.ts';
import type { ProjectReader } from '../../gate/projects/project.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { checkKeyFields, type KeyFields } from './key-fields.ts';
import { type CreatedKey, type KeyToMint, mintKey, toKeyRecord } from './mint-key.ts';

export interface NewKey extends KeyFields {
  projectId: string;
  kind: 'agent' | 'secret' | 'verify';
  /** Only for agent keys, and required there: the agent the key acts as. */
  agentId?: string | null;
  /** Only for secret keys that the operator creates: email address of the member who answers for the key. */
  ownerEmail?: string | null;
}

/**
 * Creates a project's key and shows it once. Nobody creates a key that can do more than they can. A secret key acts
 * with its maker's role, so a maker who may not decide cannot create one.
 * @throws GateError `project_not_found`, `forbidden`, `invalid_fields`, `conflict` for an agent that is not active
 */
export function createKey(
  gate: PeopleDeps,
  caller: Caller,
  input: NewKey,
  remember?: Remember<CreatedKey>,
): Promise<CreatedKey> {
  return changeProject(
    gate,
    caller,
    input.projectId,
    'keys:write',
    async (change) => {
      const fields = checkKeyFields(
        input,
        change.now,
        input.kind === 'agent' &&
          input.agentId == null && { path: '/agent_id', message: 'An agent key must name its agent.' },
        input.kind !== 'agent' &&
          input.agentId != null && { path: '/agent_id', message: 'Only an agent key can name an agent.' },
        input.ownerEmail != null &&
          !(input.kind === 'secret' && change.caller.kind === 'operator') && {
            path: '/owner',
            message:
              'The owner is the person who creates the key. Only the operator can name an owner, for a secret key.',
          },
      );
      return insertKey(change, {
        id: gate.ids.next('key'),
        kind: input.kind,
        projectId: input.projectId,
        name: fields.name,
        agentId: input.agentId == null ? null : await giveKeyTo(change, input.agentId),
        ownerId: await ownerOf(change, input),
        rights: [],
        rateLimitPerMinute: fields.rateLimitPerMinute,
        createdAt: change.now,
        expiresAt: fields.expiresAt,
      });
    },
    remember,
  );
}

/** Stores a key of the change's project and records the event, which never contains the key itself. */
export async function insertKey(
  { tx, project, record }: Pick<ProjectChange<CredentialWriter>, 'tx' | 'project' | 'record'>,
  key: KeyToMint,
): Promise<CreatedKey> {
  const { stored, text } = mintKey(key, project.mode);
  await tx.insertKey(stored);
  const data = {
    key_id: stored.id,
    kind: stored.kind,
    name: stored.name,
    hint: stored.hint,
    agent_id: stored.agentId,
    owner_id: stored.ownerId,
    expires_at: stored.expiresAt,
  };
  await record('key.created', data, ['/data/name']);
  return { record: toKeyRecord(stored), key: text };
}

/** Adds the key's maker to the people behind the agent: the maker answers for the agent's requests from now on. */
async function giveKeyTo(
  { tx, project, caller }: ProjectChange<AgentWriter & AgentReader>,
  agentId: string,
): Promise<string> {
  const agent = await tx.findAgent(project.id, agentId);
  if (!agent) throw invalidFields({ path: '/agent_id', message: 'There is no such agent in this project.' });
  if (agent.status !== 'active')
    throw new GateError('conflict', `This agent is ${agent.status}; only an active agent gets a key.`, {});
  const behind = withPersonBehind(agent, caller, await tx.listMembers(project.id));
  if (behind.length > agent.behind.length) await tx.setPeopleBehindAgent({ id: agent.id, behind });
  return agent.id;
}

async function ownerOf({ tx, caller, project }: ProjectChange, input: NewKey): Promise<string | null> {
  // Only a secret key has an owner: a verifier key acts for nobody, and an agent records the people behind its keys.
  if (input.kind !== 'secret') return null;
  if (caller.kind === 'operator') return memberNamed(tx, project.id, input.ownerEmail ?? null);
  // A token with only management rights must not create a key that can decide.
  if (!holdsScope(caller, 'intents:decide', project.id)) throw forbidden('intents:decide');
  return caller.kind === 'session' ? caller.user.id : programOwner(caller);
}

/** The person who owns the calling secret key or user token. Null when a person is present. */
function programOwner(caller: Caller): string | null {
  if (caller.kind === 'secret') return caller.owner.id;
  return caller.kind === 'user' ? caller.user.id : null;
}

async function memberNamed(tx: ProjectReader, projectId: string, email: string | null): Promise<string> {
  if (email === null)
    throw invalidFields({ path: '/owner', message: 'Name the member who answers for the key.' });
  const wanted = toEmailAddress(email);
  const member = (await tx.listMembers(projectId)).find((candidate) => candidate.email === wanted);
  if (!member)
    throw invalidFields({ path: '/owner', message: 'No member of this project has this address.' });
  return member.userId;
}
