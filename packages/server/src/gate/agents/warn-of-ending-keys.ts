import { recordEvent } from '../audit/record-event.ts';
import { addSeconds } from '../kernel/instant.ts';
import type { AgentDeps } from './agent-deps.ts';
import { ORPHAN_SECONDS, ORPHAN_WARNING_SECONDS } from './orphan.ts';

const AT_ONCE = 100;
const CLOCK = { type: 'system', id: 'clock', display: 'the clock' } as const;

/**
 * Records, one day before, that the keys of an agent whose owner left expire. The record is made once, and notifies the
 * admins.
 */
export async function warnOfEndingKeys(gate: AgentDeps): Promise<void> {
  const now = gate.clock.now();
  const leftBefore = addSeconds(now, ORPHAN_WARNING_SECONDS - ORPHAN_SECONDS);
  const agents = await gate.storage.read.listAgentsToWarnOf(leftBefore, AT_ONCE);
  for (const { id, projectId, name, ownerLeftAt } of agents) {
    await gate.storage.transaction(async (tx) => {
      if (ownerLeftAt === null || !(await tx.markOwnerLeftWarned({ id, ownerLeftAt }))) return;
      await recordEvent(gate, tx, {
        projectId,
        type: 'agent.keys_ending',
        occurredAt: now,
        actor: CLOCK,
        data: { agent_id: id, name, keys_end_at: addSeconds(ownerLeftAt, ORPHAN_SECONDS) },
      });
    });
  }
}
