/** Whatever happens to agents and approvals, the list has the same status for each receipt as the gate itself. */
import { STATUS_TYPE, verifyStatusListToken } from '@permitry/protocol';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Caller } from '../../src/gate/access/caller.ts';
import { pauseAgent, resumeAgent, revokeAgent } from '../../src/gate/agents/agent-status.ts';
import { decideIntent } from '../../src/gate/intents/decide.ts';
import { readIntent } from '../../src/gate/intents/read.ts';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { GateError } from '../../src/gate/kernel/errors.ts';
import { revokePermit } from '../../src/gate/permits/revoke.ts';
import { openTestGate, type TestGate } from '../fixtures/open-test-gate.ts';

const STEP = fc.record({
  what: fc.constantFrom('approve', 'approve', 'pause', 'resume', 'revoke agent', 'revoke permit'),
  who: fc.nat(2),
  which: fc.nat(20),
});

const TOLD = { active: STATUS_TYPE.VALID, revoked: STATUS_TYPE.INVALID, suspended: STATUS_TYPE.SUSPENDED };

class World {
  readonly t: TestGate;
  readonly askers: { caller: Caller; agentId: string | null }[];
  readonly approved: string[] = [];

  constructor(t: TestGate, askers: World['askers']) {
    this.t = t;
    this.askers = askers;
  }

  async run({ what, who, which }: { what: string; who: number; which: number }): Promise<void> {
    const { gate, projectId, owner, secret } = this.t;
    const asker = this.askers[who % this.askers.length];
    const agent = { projectId, agentId: asker?.agentId ?? '' };
    if (what === 'approve' && asker) {
      const { intent } = await submitIntent(gate, asker.caller, { action: 'deploy', params: { which } });
      await decideIntent(gate, secret, { intentId: intent.id, decision: 'approve' });
      this.approved.push(intent.id);
    } else if (what === 'revoke permit') {
      const intentId = this.approved[which % this.approved.length];
      if (intentId !== undefined) await revokePermit(gate, secret, { target: { intentId } });
    } else if (agent.agentId !== '') {
      const move = { pause: pauseAgent, resume: resumeAgent, 'revoke agent': revokeAgent }[what];
      await move?.(gate, owner.caller, agent);
    }
  }

  async compare(): Promise<void> {
    const { gate, clock, secret } = this.t;
    const jwks = { keys: [...gate.tokens.signer.publicKeys()] };
    const now = Date.parse(clock.now()) / 1000;
    const issued = await gate.statusLists.find(0);
    const uri = `${gate.issuer}/v1/status/0`;
    const verified =
      issued && (await verifyStatusListToken(issued.jws, { jwks, issuer: gate.issuer, uri, now }));
    for (const intentId of this.approved) {
      const { receipt, intent } = await readIntent(gate, secret, intentId);
      const told = receipt && TOLD[receipt.revocation_status];
      expect(verified?.ok && verified.list.get(intent.receiptIndex ?? -1)).toBe(told);
    }
  }
}

it('after every step, the status list agrees with the gate about every receipt', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(STEP, { minLength: 4, maxLength: 16 }), async (steps) => {
      const t = await openTestGate();
      const other = await t.addAgent({ name: 'another-bot' });
      const world = new World(t, [
        { caller: t.agent, agentId: t.agentId },
        { caller: other.caller, agentId: other.agent.id },
        { caller: t.secret, agentId: null },
      ]);
      for (const step of steps) {
        // The gate may refuse a step of a paused agent, and then nothing changes.
        await world.run(step).catch((error: unknown) => {
          if (!(error instanceof GateError)) throw error;
        });
        await world.compare();
      }
      await t.close();
    }),
    { numRuns: 12 },
  );
});
