import type { ProjectMode } from '@permitry/protocol';
import type { OperatorCaller } from '../gate/access/caller.ts';
import type { CredentialWriter } from '../gate/access/credential.ts';
import { insertNewAgent } from '../gate/agents/register-agent.ts';
import { GateError } from '../gate/kernel/errors.ts';
import { beginChange, type ProjectChange } from '../gate/projects/change-project.ts';
import { checkNewProject, insertNewProject } from '../gate/projects/create-project.ts';
import { insertKey } from './keys/create-key.ts';
import type { CreatedKey, KeyToMint } from './keys/mint-key.ts';
import type { PeopleDeps } from './people-deps.ts';

export interface FirstProject {
  mode: ProjectMode;
  projectName: string;
  ownerEmail: string;
}

/** Everything a new user needs, as the command line prints it. The three keys are shown only this once. */
export interface FirstCredentials {
  project_id: string;
  mode: ProjectMode;
  owner_email: string;
  agent_id: string;
  secret_key: string;
  agent_key: string;
  verifier_key: string;
}

const FIRST_AGENT = 'first-agent';
const OPERATOR: OperatorCaller = { kind: 'operator', credentialId: 'operator', display: 'operator' };

/**
 * Creates the first project of an empty gate, with its owner, an agent and one key of each kind, in one transaction.
 * @param keep Receives the credentials just before the commit, since the database has only hashes of the keys. If
 * `keep` throws, the gate stays empty. If the commit fails, the credentials are worthless.
 * @throws GateError `conflict` when there is already a project, `invalid_fields`
 * @example await initialiseGate(gate, { mode: 'test', projectName: 'Refunds', ownerEmail: 'ann@example.org' })
 */
export async function initialiseGate(
  gate: PeopleDeps,
  input: FirstProject,
  operator: OperatorCaller = OPERATOR,
  keep: (credentials: FirstCredentials) => void = () => {},
): Promise<FirstCredentials> {
  const checked = checkNewProject({
    name: input.projectName,
    mode: input.mode,
    ownerEmail: input.ownerEmail,
  });
  const now = gate.clock.now();
  return gate.storage.transaction(async (tx) => {
    if ((await tx.listProjects()).length > 0)
      throw new GateError('conflict', 'This gate is already initialised. Add a project instead.', {});
    const { project, owner } = await insertNewProject(gate, tx, operator, checked, now);
    const change = beginChange(gate, tx, operator, project, now);
    const agent = await insertNewAgent(change, gate.ids.next('agt'), {
      name: FIRST_AGENT,
      ownerId: owner.id,
    });

    const mint = firstKeyOf(gate, change);
    const secret = await mint({ kind: 'secret', name: 'first secret key', ownerId: owner.id });
    const agentKey = await mint({ kind: 'agent', name: 'first agent key', agentId: agent.id });
    const verifier = await mint({ kind: 'verify', name: 'first verifier key' });
    const credentials = {
      project_id: project.id,
      mode: project.mode,
      owner_email: owner.email,
      agent_id: agent.id,
      secret_key: secret.key,
      agent_key: agentKey.key,
      verifier_key: verifier.key,
    };
    keep(credentials);
    return credentials;
  });
}

type FirstKey = Pick<KeyToMint, 'kind' | 'name'> & Partial<Pick<KeyToMint, 'agentId' | 'ownerId'>>;

/** Mints keys without an expiry: they are valid until revoked. */
function firstKeyOf(
  gate: Pick<PeopleDeps, 'ids'>,
  change: ProjectChange<CredentialWriter>,
): (key: FirstKey) => Promise<CreatedKey> {
  return (key) =>
    insertKey(change, {
      id: gate.ids.next('key'),
      projectId: change.project.id,
      agentId: null,
      ownerId: null,
      rights: [],
      rateLimitPerMinute: null,
      createdAt: change.now,
      expiresAt: null,
      ...key,
    });
}
