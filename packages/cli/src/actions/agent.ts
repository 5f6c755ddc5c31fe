import type { RiskTier } from '@permitry/protocol';
import {
  type Agent,
  listAgents,
  pauseAgent,
  registerAgent,
  resumeAgent,
  revokeAgent,
} from '@permitry/server';
import { allPages } from '../all-pages.ts';
import type { AdminFlags } from '../command-options.ts';
import { findAgent } from '../find-agent.ts';
import { findProject } from '../find-project.ts';
import { withGate } from '../open-gate-for-admin.ts';
import { OPERATOR } from '../operator.ts';
import { printJson } from '../printing/print-json.ts';
import { printTable } from '../printing/print-table.ts';
import { shortTime } from '../printing/short-time.ts';

export type AddFlags = AdminFlags & { riskTier?: RiskTier; framework?: string };

export async function add(name: string, flags: AddFlags): Promise<void> {
  const agent = await withGate(flags, async (gate) => {
    const { id: projectId } = await findProject(gate, flags.project);
    return registerAgent(gate, OPERATOR, {
      projectId,
      name,
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
  const agents = await withGate(flags, async (gate) => {
    const { id: projectId } = await findProject(gate, flags.project);
    return allPages((page) => listAgents(gate, OPERATOR, { projectId, ...page }));
  });
  if (flags.json) return printJson(agents.map(toJson));
  printTable(
    agents,
    [
      { title: 'ID', text: ({ id }) => id },
      { title: 'NAME', text: ({ name }) => name, shrinks: true },
      { title: 'STATE', text: ({ status }) => status },
      { title: 'RISK', text: ({ riskTier }) => riskTier },
      { title: 'LAST SEEN', text: ({ lastSeenAt }) => shortTime(lastSeenAt) },
    ],
    'This project has no agents; register one with: permitry agent add NAME',
  );
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
    created_at: agent.createdAt,
    last_seen_at: agent.lastSeenAt,
  };
}
