/** Things that must exist or happen only once do so, even when several gates try at the same moment. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RetentionSweeper } from '../../src/gate/erasure/retention-sweeper.ts';
import { decideIntent } from '../../src/gate/intents/decide.ts';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { type OpenGate, openGate } from '../../src/open-gate.ts';
import { initialiseGate } from '../../src/people/initialise-gate.ts';
import { type EmptyTestGate, openEmptyTestGate, TEST_KEY_SETTINGS } from '../fixtures/open-test-gate.ts';
import { openGates } from './open-gates.ts';

let t: EmptyTestGate;
let others: OpenGate[];
beforeEach(async () => {
  t = await openEmptyTestGate('postgres');
  others = await Promise.all([0, 1].map(() => openAnother(t)));
});
afterEach(async () => {
  await Promise.all(others.map((other) => other.close()));
  await t.close();
});

function openAnother({ database, gate, clock }: EmptyTestGate): Promise<OpenGate> {
  return openGate({ database, issuer: gate.issuer, clock, signingKeys: TEST_KEY_SETTINGS });
}

test('when gates start on an empty database at once, only one creates the first project and its keys', async () => {
  const gates = [t.gate, ...others.map(({ gate }) => gate)];
  const tried = await Promise.allSettled(
    gates.map((gate) =>
      initialiseGate(gate, { mode: 'test', projectName: 'First', ownerEmail: 'ann@example.org' }),
    ),
  );
  const made = tried.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const refused = tried.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
  expect(made).toHaveLength(1);
  expect(refused).toEqual(['conflict', 'conflict']);
  expect(await t.gate.storage.read.listProjects()).toHaveLength(1);
  expect(await t.callerOf(made[0]?.secret_key ?? '')).toMatchObject({ kind: 'secret' });
  const events = await t.events(made[0]?.project_id ?? '', 'project.created');
  expect(events).toHaveLength(1);
});

test('texts past their retention are erased once, although every gate sweeps', async () => {
  const g = await openGates(2);
  try {
    for (let n = 0; n < 40; n += 1) {
      const { intent } = await submitIntent(g.gate, g.agent, { action: 'a', params: { n } });
      await decideIntent(g.gate, g.secret, { intentId: intent.id, decision: 'deny', reason: `no ${n}` });
    }
    g.clock.advance(10 * 24 * 3600);
    const failures: unknown[] = [];
    const sweepers = g.gates.map(
      ({ gate }) => new RetentionSweeper(gate, 5, (error) => failures.push(error)),
    );
    await Promise.all(sweepers.map((sweeper) => sweeper.sweep()));
    expect(await g.events(g.projectId, 'text.erased')).toHaveLength(1);
    const left = await g.events(g.projectId, 'intent.denied');
    expect(left.map(({ data }) => data.reason)).toEqual(Array(40).fill(null));
    expect(failures).toEqual([]);
  } finally {
    await g.close();
  }
});
