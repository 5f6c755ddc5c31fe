import type { IntentStatus } from '@permitry/protocol';
import type { Caller } from '../access/caller.ts';
import { GateError } from '../errors.ts';
import type { Gate } from '../gate.ts';
import { expireIntents, isDue } from './expire.ts';
import type { Intent, IntentFilter } from './intent.ts';
import { approvalUrl } from './intent-view.ts';

/** An intent as it stands in a list: never with its permit token. */
export interface IntentSummary {
  intent: Intent;
  approvalUrl: string;
}

export interface IntentPage {
  items: readonly IntentSummary[];
  /** The id to go on after; null on the last page. */
  nextCursor: string | null;
}

/** What the credential may see: a person's projects, a secret key's project, an agent's own requests. */
function visibleTo(caller: Caller): Pick<IntentFilter, 'projectIds' | 'requesterId'> {
  switch (caller.kind) {
    case 'agent':
      return { projectIds: [caller.projectId], requesterId: caller.agent.id };
    case 'secret':
      return { projectIds: [caller.projectId] };
    case 'user':
      return { projectIds: caller.memberships.map((membership) => membership.projectId) };
    default:
      throw new GateError('forbidden', 'This credential may not list intents.', { required: 'intents:read' });
  }
}

/** Newest first. Intents past their time are expired first, so that no list calls them pending. */
export async function listIntents(
  gate: Gate,
  caller: Caller,
  query: { status?: IntentStatus | 'resolved'; cursor?: string; limit: number },
): Promise<IntentPage> {
  const filter: IntentFilter = {
    ...visibleTo(caller),
    ...(query.status === undefined ? {} : { status: query.status }),
    ...(query.cursor === undefined ? {} : { beforeId: query.cursor }),
    limit: query.limit + 1,
  };
  const found = await listSettled(gate, filter);
  const page = found.slice(0, query.limit);
  return {
    items: page.map((intent) => ({ intent, approvalUrl: approvalUrl(gate, intent.id) })),
    nextCursor: found.length > query.limit ? (page.at(-1)?.id ?? null) : null,
  };
}

async function listSettled(gate: Gate, filter: IntentFilter): Promise<readonly Intent[]> {
  for (;;) {
    const found = await gate.storage.read.listIntents(filter);
    const now = gate.clock.now();
    const due = found.filter((intent) => isDue(intent, now));
    if (due.length === 0) return found;
    await expireIntents(gate, due);
  }
}
