/** The projects, agents and keys of every measured store, whether it holds a million intents or none. */
import type { GateParts, OperatorCaller } from '@permitry/server';
import { createKey, createProject, initialiseGate, putPolicy, registerAgent } from '@permitry/server';
import { POLICY } from '../workload.ts';
import type { SeededAgent, SeededProject } from './manifest.ts';

const OPERATOR: OperatorCaller = { kind: 'operator', credentialId: 'operator', display: 'bench' };
const OWNER = 'owner@localhost';
const PROJECTS = ['bench', 'support', 'deployments', 'research'];
const AGENTS_PER_PROJECT = 6;

export interface Layout {
  projects: SeededProject[];
  agents: SeededAgent[];
}

/** Creates the layout on an empty gate. */
export async function layOut(gate: GateParts): Promise<Layout> {
  const [first = '', ...others] = PROJECTS;
  const made = await initialiseGate(gate, { mode: 'test', projectName: first, ownerEmail: OWNER });
  const projects = [{ id: made.project_id, secretKey: made.secret_key, verifierKey: made.verifier_key }];
  for (const name of others) projects.push(await makeProject(gate, name));

  const agents = [{ project: 0, key: made.agent_key }];
  for (const [project, { id }] of projects.entries()) {
    await putPolicy(gate, OPERATOR, { projectId: id, document: POLICY });
    for (let n = project === 0 ? 1 : 0; n < AGENTS_PER_PROJECT; n += 1) {
      agents.push({ project, key: await makeAgent(gate, id, `agent ${n}`) });
    }
  }
  return { projects, agents };
}

async function makeProject(gate: GateParts, name: string): Promise<SeededProject> {
  const { project } = await createProject(gate, OPERATOR, { name, mode: 'test', ownerEmail: OWNER });
  const { id: projectId } = project;
  const secret = await createKey(gate, OPERATOR, {
    projectId,
    kind: 'secret',
    name: 'secret key',
    ownerEmail: OWNER,
  });
  const verifier = await createKey(gate, OPERATOR, { projectId, kind: 'verify', name: 'verifier key' });
  return { id: projectId, secretKey: secret.key, verifierKey: verifier.key };
}

async function makeAgent(gate: GateParts, projectId: string, name: string): Promise<string> {
  const agent = await registerAgent(gate, OPERATOR, { projectId, name });
  const { key } = await createKey(gate, OPERATOR, {
    projectId,
    kind: 'agent',
    name: `key of ${name}`,
    agentId: agent.id,
  });
  return key;
}
