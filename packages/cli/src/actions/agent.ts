import type { RiskTier } from '@permitry/protocol';
import {
  type Agent,
  listAgents,
  listMembers,
  pauseAgent,
  registerAgent,
  resumeAgent,
  revokeAgent,
  updateAgent,
} from '@permitry/server';
import { allPages } from '../all-pages.ts';
import type { AdminFlags } from '../command-options.ts';
import { findAgent } from '../find-agent.ts';
import { findMember } from '../find-member.ts';
import { findProject } from '../find-project.ts';
import { withGate } from '../open-gate-for-admin.ts';
import { OPERATOR } from '../operator.ts';
import { printJson } from '../printing/print-json.ts';
import { printTable } from '../printing/print-table.ts';
import { shortTime } from '../printing/short-time.ts';

export type AddFlags = AdminFlags & { riskTier?: RiskTier; framework?: string; owner?: string };

export async function add(name: string, flags: AddFlags): Promise<void> {
  const agent = await withGate(flags, async (gate) => {
    const { id: projectId } = await findProject(gate, flags.project);
    const owner = flags.owner === undefined ? undefined : await findMember(gate, projectId, flags.owner);
    return registerAgent(gate, OPERATOR, {
      projectId,
      name,
      ...(owner === undefined ? {} : { ownerId: owner.userId }),
      ...(flags.riskTier === undefined ? {} : { riskTier: flags.riskTier }),
      ...(flags.framework === undefined ? {} : { framework: flags.framework }),
    });
  });
  if (flags.json) return printJson(toJson(agent));
  process.stdout.write(`Registered agent ${agent.id} ("${agent.name}").
Next: permitry keys create --kind agent --agent ${agent.id}
`);
}

export async function list(flags: AdminFlags): Promise<void> {
  const { agents, emails } = await withGate(flags, async (gate) => {
    const { id: projectId } = await findProject(gate, flags.project);
    const members = await allPages((page) => listMembers(gate, OPERATOR, { projectId, ...page }));
    return {
      agents: await allPages((page) => listAgents(gate, OPERATOR, { projectId, ...page })),
      emails: new Map(members.map(({ userId, email }) => [userId, email])),
    };
  });
  if (flags.json) return printJson(agents.map(toJson));
  printTable(
    agents,
    [
      { title: 'ID', text: ({ id }) => id },
      { title: 'NAME', text: ({ name }) => name, shrinks: true },
      { title: 'STATE', text: ({ status }) => status },
      { title: 'RISK', text: ({ riskTier }) => riskTier },
      { title: 'OWNER', text: (agent) => describeOwner(agent, emails), shrinks: true },
      { title: 'LAST SEEN', text: ({ lastSeenAt }) => shortTime(lastSeenAt) },
    ],
    'This project has no agents; register one with: permitry agent add NAME',
  );
}

function describeOwner({ ownerId, ownerLeftAt }: Agent, emails: ReadonlyMap<string, string>): string {
  if (ownerId === null) return 'every owner';
  const email = emails.get(ownerId) ?? ownerId;
  return ownerLeftAt === null ? email : `${email} (left)`;
}

export async function setOwner(name: string, email: string, flags: AdminFlags): Promise<void> {
  const agent = await withGate(flags, async (gate) => {
    const { id: projectId } = await findProject(gate, flags.project);
    const { id: agentId } = await findAgent(gate, projectId, name);
    const { userId: ownerId } = await findMember(gate, projectId, email);
    return (await updateAgent(gate, OPERATOR, { projectId, agentId, ownerId })).agent;
  });
  if (flags.json) return printJson(toJson(agent));
  process.stdout.write(`Agent "${agent.name}" belongs to ${email}.\n`);
}

export const pause = (name: string, flags: AdminFlags) => move(name, flags, pauseAgent);
export const resume = (name: string, flags: AdminFlags) => move(name, flags, resumeAgent);
export const revoke = (name: string, flags: AdminFlags) => move(name, flags, revokeAgent);

async function move(name: string, flags: AdminFlags, operation: typeof pauseAgent): Promise<void> {
  const agent = await withGate(flags, async (gate) => {
    const { id: projectId } = await findProject(gate, flags.project);
    const { id: agentId } = await findAgent(gate, projectId, name);
    return operation(gate, OPERATOR, { projectId, agentId });
  });
  if (flags.json) return printJson(toJson(agent));
  process.stdout.write(`Agent "${agent.name}" is ${agent.status}.\n`);
}

function toJson(agent: Agent) {
  return {
    id: agent.id,
    name: agent.name,
    status: agent.status,
    fingerprint: agent.fingerprint,
    framework: agent.framework,
    labels: agent.labels,
    risk_tier: agent.riskTier,
    owner_id: agent.ownerId,
    created_at: agent.createdAt,
    last_seen_at: agent.lastSeenAt,
  };
}
