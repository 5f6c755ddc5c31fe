/** The setting of the story: the gate, the agent, and the two other key holders. */
import type { PublicJwks } from '@permitry/protocol';
import { type AgentProcess, startAgent } from './agent-process.ts';
import type { Client } from './exchange.ts';
import { type GateProcess, startGate } from './gate-process.ts';
import type { Leftovers } from './leftovers.ts';
import type { Narrator } from './narrator.ts';

export interface Scene {
  narrator: Narrator;
  gate: GateProcess;
  agent: AgentProcess;
  /** The owner, who decides and manages with the project's secret key. */
  owner: Client;
  /** The service that moves the money. Its verifier key can only verify and use permits. */
  payments: Client;
  /** The directory for files that the demo saves. */
  directory: string;
}

/** An approved refund, and everything needed to verify its permit without the gate. */
export interface Refund {
  intentId: string;
  token: string;
  jwks: PublicJwks;
}

export const REFUND = {
  action: 'payments.refund',
  params: { order: 'A-1043', amount: 120, currency: 'EUR' },
};

export async function openScene(narrator: Narrator, leftovers: Leftovers): Promise<Scene> {
  const gate = await startGate(`${leftovers.directory}/data`, leftovers.add);
  const { url, credentials } = gate;
  const agent = await startAgent({ GATE_URL: url, AGENT_KEY: credentials.agent_key }, leftovers.add);
  narrator.shorten(credentials.project_id, '$PROJECT');
  narrator.shorten(credentials.agent_id, '$AGENT');
  return {
    narrator,
    gate,
    agent,
    owner: { who: 'owner', gateUrl: url, key: credentials.secret_key },
    payments: { who: 'payments', gateUrl: url, key: credentials.verifier_key },
    directory: leftovers.directory,
  };
}
