/** Texts are erased once when they are old enough, and nothing that can still be used loses any text. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifyAudit } from '../../src/gate/audit/verify-audit.ts';
import { eraseAged } from '../../src/gate/erasure/erase-aged.ts';
import { setRetention } from '../../src/gate/erasure/retention.ts';
import { RetentionSweeper } from '../../src/gate/erasure/retention-sweeper.ts';
import { decideIntent } from '../../src/gate/intents/decide.ts';
import { readIntent } from '../../src/gate/intents/read.ts';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { redeemPermit } from '../../src/gate/permits/redeem.ts';
import { verifyPermit } from '../../src/gate/permits/verify.ts';
import { createProject } from '../../src/gate/projects/create-project.ts';
import { openTestGate, type TestGate } from '../fixtures/open-test-gate.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';
import { ACTION, asked } from './asked-and-approved.ts';
import { tracesOf } from './traces.ts';

const DAY = 24 * 3600;
const CUSTOMER = 'Zenobia Quirrenbach';

let t: TestGate;
beforeEach(async () => {
  t = await openTestGate();
});
afterEach(() => t.close());

function sweep(days: number) {
  return eraseAged(t.gate, null, { projectId: t.projectId, days });
}

async function paramsOf(intentId: string) {
  return (await readIntent(t.gate, t.agent, intentId)).intent.params;
}

async function denied(about = CUSTOMER): Promise<string> {
  const { id } = await asked(t, about);
  await decideIntent(t.gate, t.secret, { intentId: id, decision: 'deny', reason: `not to ${about}` });
  return id;
}

it('older texts are erased and newer ones stay', async () => {
  const old = await denied();
  t.clock.advance(3 * DAY);
  const young = await denied();
  t.clock.advance(8 * DAY - 1);
  expect(await sweep(11)).toEqual({ intents: 0, records: 0, files: 'cleared' });
  t.clock.advance(2);
  expect(await sweep(11)).toMatchObject({ intents: 1 });
  expect(await paramsOf(old)).toEqual({});
  expect(await paramsOf(young)).toMatchObject({ to: CUSTOMER });
  expect((await readIntent(t.gate, t.agent, young)).intent.reason).toBe(`not to ${CUSTOMER}`);
  const events = await t.events(t.projectId, 'intent.denied');
  expect(events.map(({ data }) => data.reason)).toEqual([null, `not to ${CUSTOMER}`]);
  expect((await verifyAudit(t.gate, t.owner.caller, t.projectId)).valid).toBe(true);
});

it('each intent is examined once, and a run that finds nothing writes nothing', async () => {
  await denied();
  t.clock.advance(10 * DAY);
  const first = await sweep(5);
  expect(first.intents).toBe(1);
  expect(first.records).toBeGreaterThan(2);
  await t.events(t.projectId);
  const commits = t.storage.stats().commits;
  expect(await sweep(5)).toEqual({ intents: 0, records: 0, files: 'cleared' });
  expect(t.storage.stats().commits).toBe(commits);
  expect(await t.events(t.projectId, 'text.erased')).toMatchObject([
    {
      actor: { type: 'system', id: 'clock' },
      data: { subject: 'age', older_than: expect.stringMatching(/Z$/) },
    },
  ]);
});

it('the next run finishes what an earlier one could not', async () => {
  const { projectId } = t;
  await t.gate.storage.transaction((tx) =>
    tx.saveUnfinishedErasure({
      projectId,
      subject: 'age',
      subjectId: null,
      since: t.clock.now(),
      mark: 'earlier',
    }),
  );
  expect(await sweep(5)).toEqual({ intents: 0, records: 0, files: 'cleared' });
  expect(await t.gate.storage.read.listUnfinishedErasures()).toEqual([]);
});

it('a run that takes many steps erases every intent that is old enough', async () => {
  const ids: string[] = [];
  for (let at = 0; at < 70; at += 1) ids.push(await denied(`someone-${at} called Quirrenbach`));
  t.clock.advance(10 * DAY);
  let pauses = 0;
  const pause = async () => {
    pauses += 1;
  };
  const erased = await eraseAged(t.gate, null, { projectId: t.projectId, days: 5 }, { pause });
  expect(erased.intents).toBe(70);
  expect(pauses).toBeGreaterThan(4);
  for (const id of ids) expect(await paramsOf(id)).toEqual({});
  expect(tracesOf(t.dataDir, 'Quirrenbach')).toEqual([]);
  expect(await t.events(t.projectId, 'text.erased')).toHaveLength(1);
});

describe('an interrupted run', () => {
  it('continues where it stopped', async () => {
    for (let at = 0; at < 60; at += 1) await denied();
    t.clock.advance(10 * DAY);
    const stop = async () => {
      throw new Error('stopped');
    };
    await expect(
      eraseAged(t.gate, null, { projectId: t.projectId, days: 5 }, { pause: stop }),
    ).rejects.toThrow();
    const unfinished = () => t.gate.storage.read.listUnfinishedErasures();
    expect(await unfinished()).toMatchObject([{ subject: 'age', subjectId: null }]);
    const rest = await sweep(5);
    expect(rest.intents).toBeGreaterThan(0);
    expect(rest.intents).toBeLessThan(60);
    expect(tracesOf(t.dataDir, CUSTOMER)).toEqual([]);
    expect(await unfinished()).toEqual([]);
  });
});

describe('an open intent', () => {
  it('keeps its texts until it is no longer pending', async () => {
    const { intent } = await submitIntent(t.gate, t.agent, {
      action: ACTION,
      params: { to: CUSTOMER },
      expiresInSeconds: 20 * DAY,
    });
    const behind = await denied();
    t.clock.advance(10 * DAY);
    expect(await sweep(5)).toMatchObject({ intents: 1 });
    expect(await paramsOf(behind)).toEqual({});
    expect(await paramsOf(intent.id)).toEqual({ to: CUSTOMER });
    t.clock.advance(10 * DAY + 1);
    await readIntent(t.gate, t.agent, intent.id);
    expect(await sweep(5)).toMatchObject({ intents: 1 });
    expect(await paramsOf(intent.id)).toEqual({});
  });

  it('that is approved and unused keeps its permit for its normal lifetime, then loses its texts', async () => {
    const { intent } = await submitIntent(t.gate, t.agent, {
      action: ACTION,
      params: { to: CUSTOMER },
      expiresInSeconds: 10 * DAY + 10,
    });
    t.clock.advance(10 * DAY);
    const { permit } = await decideIntent(t.gate, t.secret, { intentId: intent.id, decision: 'approve' });
    await redeemPermit(t.gate, t.agent, intent.id);
    expect(await sweep(5)).toMatchObject({ intents: 0 });
    t.clock.advance(299);
    const request = { token: permit?.token ?? '', action: ACTION, params: { to: CUSTOMER }, consume: false };
    expect((await verifyPermit(t.gate, t.verifier, request)).bound).toBe(true);
    expect(await sweep(5)).toMatchObject({ intents: 0 });
    t.clock.advance(1);
    expect(await sweep(5)).toMatchObject({ intents: 1 });
    expect((await refusalOf(verifyPermit(t.gate, t.verifier, request))).details).toMatchObject({
      reason: 'expired',
    });
  });
});

describe('the sweeper', () => {
  it('follows each project’s setting, or else the gate’s, and 0 keeps texts forever', async () => {
    const kept = await createProject(t.gate, t.operator, {
      name: 'Keeps',
      mode: 'test',
      ownerEmail: 'k@example.org',
    });
    const short = await createProject(t.gate, t.operator, {
      name: 'Short',
      mode: 'test',
      ownerEmail: 's@example.org',
    });
    await setRetention(t.gate, t.operator, { projectId: kept.project.id, days: 0 });
    await setRetention(t.gate, t.operator, { projectId: short.project.id, days: 2 });
    const id = await denied();
    t.clock.advance(3 * DAY);
    const errors: unknown[] = [];
    const sweeper = new RetentionSweeper(t.gate, 5, (error) => errors.push(error));
    const told = async () =>
      Promise.all(
        [t.projectId, kept.project.id, short.project.id].map(
          async (projectId) => (await t.events(projectId, 'text.erased')).length,
        ),
      );
    await sweeper.sweep();
    expect(await told()).toEqual([0, 0, 1]);
    t.clock.advance(3 * DAY);
    await sweeper.sweep();
    expect(await told()).toEqual([1, 0, 1]);
    expect(await paramsOf(id)).toEqual({});
    await setRetention(t.gate, t.operator, { projectId: kept.project.id, days: null });
    await sweeper.sweep();
    expect(await told()).toEqual([1, 1, 1]);
    expect(errors).toEqual([]);
    await sweeper.stop();
  });

  it('keeps everything without any setting', async () => {
    const id = await denied();
    t.clock.advance(10_000 * DAY);
    const sweeper = new RetentionSweeper(t.gate, 0, () => {});
    await sweeper.sweep();
    expect(await paramsOf(id)).toMatchObject({ to: CUSTOMER });
  });

  it('stops during a sweep on request, and a later run erases the rest', async () => {
    for (let at = 0; at < 60; at += 1) await denied();
    t.clock.advance(10 * DAY);
    const sweeper = new RetentionSweeper(t.gate, 5, () => {});
    const sweeping = sweeper.sweep().catch((error: unknown) => error);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await sweeper.stop();
    expect(await sweeping).toBeInstanceOf(Error);
    expect((await verifyAudit(t.gate, t.owner.caller, t.projectId)).valid).toBe(true);
    expect((await sweep(5)).intents).toBeGreaterThan(0);
    expect(tracesOf(t.dataDir, CUSTOMER)).toEqual([]);
  });
});

it('only owners can set the days, which are recorded and must be valid', async () => {
  const admin = await t.addPerson('admin@example.org', 'admin');
  const input = { projectId: t.projectId, days: 30 };
  expect(await refusalOf(setRetention(t.gate, admin.caller, input))).toMatchObject({ code: 'forbidden' });
  for (const days of [-1, 0.5, 36_501, Number.NaN]) {
    const refusal = await refusalOf(setRetention(t.gate, t.owner.caller, { ...input, days }));
    expect(refusal.code).toBe('invalid_fields');
  }
  await setRetention(t.gate, t.owner.caller, input);
  expect(await t.gate.storage.read.findRetention(t.projectId)).toMatchObject({ days: 30 });
  expect(await t.events(t.projectId, 'retention.updated')).toMatchObject([{ data: { days: 30 } }]);
});
