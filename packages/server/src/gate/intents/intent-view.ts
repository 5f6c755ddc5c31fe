import type { Receipt } from '@permitry/protocol';
import type { AgentStatus } from '../access/agent-identity.ts';
import type { Caller } from '../access/caller.ts';
import type { AgentReader } from '../agents/agent.ts';
import type { Storage } from '../kernel/storage.ts';
import type { IssuedPermit } from '../tokens/issue-permit.ts';
import { readReceipt } from '../tokens/read-receipt.ts';
import { mayHoldPermit } from './find-intent.ts';
import type { Intent } from './intent.ts';
import type { IntentDeps } from './intent-deps.ts';

/** An intent as one caller may see it in a single read. */
export interface IntentView {
  intent: Intent;
  approvalUrl: string;
  /** Null while there is no permit, and for callers who may not have one. */
  permit: IssuedPermit | null;
  receipt: Receipt | null;
}

export function approvalUrl(gate: Pick<IntentDeps, 'tokens'>, intentId: string): string {
  return `${gate.tokens.issuer}/approve/${intentId}`;
}

export function toIntentView(
  gate: Pick<IntentDeps, 'tokens'>,
  caller: Caller,
  intent: Intent,
  agent: AgentStatus | null,
): IntentView {
  return {
    intent,
    approvalUrl: approvalUrl(gate, intent.id),
    // The token of an erased intent is gone.
    permit: intent.erasedAt === null && mayHoldPermit(caller, intent) ? intent.permit : null,
    receipt: readReceipt(intent, agent, gate.tokens.signer),
  };
}

/** The status of the agent that an intent runs as. Read only when a receipt needs it. */
export async function findAgentStatus(
  gate: { storage: Storage<AgentReader> },
  intent: Intent,
): Promise<AgentStatus | null> {
  if (intent.agentId === null || intent.receipt === null) return null;
  return (await gate.storage.read.findAgent(intent.projectId, intent.agentId))?.status ?? 'revoked';
}
