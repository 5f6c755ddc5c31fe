/** A running simulation: its progress, what stops it, and the limit of one at a time. */
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { runSimulation } from '../../src/gate/policy-management/simulation/run-simulation.ts';
import type {
  SimulationJob,
  SimulationReport,
} from '../../src/gate/policy-management/simulation/simulation-job.ts';
import { Simulations } from '../../src/gate/policy-management/simulation/simulations.ts';
import { createProject } from '../../src/gate/projects/create-project.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { expectRefusal } from '../surfaces/expect-refusal.ts';
import {
  collect,
  DRAFT,
  IN_FORCE,
  type Line,
  openSimulationApp,
  type SimulationApp,
  summaryOf,
} from './open-simulation.ts';

let t: SimulationApp;
beforeEach(async () => {
  t = await openSimulationApp();
});
afterEach(() => t.close());

/** Copies the latest intent this many times in one statement; only ID and position differ. */
function multiplyPast(times: number): void {
  const database = new DatabaseSync(join(t.dataDir, 'permitry.sqlite'));
  const columns = database
    .prepare("select name from pragma_table_info('intents') where name not in ('seq', 'id')")
    .all()
    .map(({ name }) => String(name))
    .join(', ');
  database.exec(
    `insert into intents (id, ${columns})
     with recursive n (i) as (select 1 union all select i + 1 from n where i < ${times})
     select 'int_' || printf('%026d', i), ${columns} from n, (select * from intents order by seq desc limit 1)`,
  );
  database.close();
}

async function untilNothingRuns(): Promise<void> {
  while (t.gate.simulations.running > 0) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** A policy that is slow for every intent: it walks over lists as often as a policy may. */
const SLOW = {
  ...IN_FORCE,
  rules: Array.from({ length: 400 }, (_, index) => ({
    name: `slow ${index}`,
    when: `params.list.all(x, x != ${index + 5000})`,
    effect: 'deny',
  })),
};

const ask = (stored: object = {}) => t.ask({ policy: SLOW, stored });

async function makeSlowPast(times = 20_000): Promise<void> {
  const list = Array.from({ length: 1000 }, (_, index) => index);
  await submitIntent(t.gate, t.agent, { action: 'a', params: { list } });
  multiplyPast(times);
}

describe('a running simulation', () => {
  test('reports its progress, which never goes back', async () => {
    await makeSlowPast();
    const { lines, headers, request } = await ask();
    expect(headers['content-type']).toBe('application/x-ndjson');
    const seen: Line[] = [];
    for await (const line of lines) {
      if (line.type === 'progress') seen.push(line);
      if (seen.length === 3) break;
    }
    request.destroy();
    for (const line of seen) expect(line).toMatchObject({ total: 20_001, changed: expect.any(Number) });
    const scanned = seen.map((line) => Number(line.scanned));
    expect(scanned).toEqual(scanned.toSorted((a, b) => a - b));
    expect(scanned[0]).toBeGreaterThan(0);
    await untilNothingRuns();
  });

  test('does not delay other requests', async () => {
    await makeSlowPast();
    const { lines, request } = await ask();
    await lines.next();
    for (let round = 0; round < 20; round++) await t.makePast(1);
    expect(t.gate.simulations.running).toBe(1);
    request.destroy();
    await untilNothingRuns();
  });

  test('stops when its client disconnects', async () => {
    await makeSlowPast();
    const { lines, request } = await ask();
    await lines.next();
    expect(t.gate.simulations.running).toBe(1);
    request.destroy();
    await untilNothingRuns();
    // The next simulation may run, and it finishes.
    expect(summaryOf(await t.readAll({ policy: DRAFT, stored: { limit: 5 } })).evaluated).toBe(5);
  });

  test('stops when the gate closes, and the answer says that it was not finished', async () => {
    await makeSlowPast();
    const { lines } = await ask();
    await lines.next();
    await t.gate.simulations.close();
    const rest = await collect(lines);
    expect(rest.at(-1)).toMatchObject({ type: 'error', error: { code: 'service_unavailable' } });
    expect(t.gate.simulations.running).toBe(0);
  });

  test('prevents any other simulation of its project, even of given intents', async () => {
    await makeSlowPast();
    const { lines, request } = await ask();
    await lines.next();
    for (const body of [{ stored: {} }, { intents: [{ action: 'a' }] }]) {
      const refused = await t.call('POST', t.path, { key: t.owner.token, body });
      expectRefusal(refused, 409, 'conflict');
    }
    request.destroy();
    await untilNothingRuns();
  });

  test('counts against a small limit for the whole gate', async () => {
    await makeSlowPast();
    const ours = await ask();
    await ours.lines.next();
    const gate = t.gate;
    const others = await Promise.all(
      ['b', 'c'].map((name) =>
        createProject(gate, OPERATOR, { name, mode: 'test', ownerEmail: `${name}@example.org` }),
      ),
    );
    const job = (projectId: string): SimulationJob => ({
      projectId,
      inForce: IN_FORCE,
      draft: DRAFT,
      against: { kind: 'stored' },
      timeLimitMs: 60_000,
    });
    const [second, third] = others.map(({ project }) => project.id);
    const running = gate.simulations.start(job(String(second)));
    expect(() => gate.simulations.start(job(String(third)))).toThrow(
      expect.objectContaining({ code: 'rate_limited', details: { retry_after_seconds: 10 } }),
    );
    running.stop();
    await running.ended;
    ours.request.destroy();
    await untilNothingRuns();
  });
});

/** Runs in this thread, with a clock that the test moves. */
async function runHere(job: Partial<SimulationJob>, nowMs: () => number): Promise<SimulationReport[]> {
  const whole: SimulationJob = {
    projectId: t.projectId,
    inForce: IN_FORCE,
    draft: DRAFT,
    against: { kind: 'stored' },
    timeLimitMs: 60_000,
    ...job,
  };
  return collect(runSimulation(t.gate.storage.read, whole, nowMs));
}

describe('a long simulation', () => {
  test('ends at its time limit, with a partial result that says so', async () => {
    await t.makePast(50);
    let now = 0;
    const reports = await runHere({ timeLimitMs: 100 }, () => now++);
    const last = reports.at(-1);
    if (last?.kind !== 'finished') throw new Error('not finished');
    expect(last.result.complete).toBe(false);
    expect(last.result.evaluated).toBeGreaterThan(10);
    expect(last.result.evaluated).toBeLessThan(60);
    expect(last.result.evaluated).toBe(last.result.scanned);
  });

  test('reports its progress every half second', async () => {
    await t.makePast(50);
    let now = 0;
    const reports = await runHere({}, () => (now += 10));
    const progress = reports.filter((report) => report.kind === 'progress');
    // Each of 300 intents reads the clock twice, 10 ms apart, so 25 intents take half a second.
    expect(progress.length).toBe(300 / 25);
    for (const report of progress) expect(report).toMatchObject({ total: 300 });
  });
});

describe('a simulation whose thread fails', () => {
  test('is reported as a failure, and frees its place', async () => {
    const running = new Simulations({
      start: () => ({
        reports: (async function* () {
          yield { kind: 'progress', scanned: 1, total: 2, evaluated: 1, changed: 0 } as const;
          throw new Error('out of memory');
        })(),
        ended: Promise.resolve(),
        stop: () => undefined,
      }),
    });
    const app = await t.withSimulations(running);
    const answer = await app.inject({
      method: 'POST',
      url: t.path,
      headers: { authorization: `Bearer ${t.first.secret_key}` },
      payload: { stored: {} },
    });
    const lines = answer.payload
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
    expect(lines.map(({ type }) => type)).toEqual(['started', 'progress', 'error']);
    expect(lines[2]).toMatchObject({
      error: { code: 'service_unavailable', request_id: answer.headers['x-request-id'] },
    });
    expect(answer.payload).not.toContain('memory"');
    expect(running.running).toBe(0);
    await app.close();
  });
});

test('a client that never reads a line does not block the gate', async () => {
  await makeSlowPast(60);
  const { request } = await ask();
  const [response] = (await Promise.race([
    once(request, 'close'),
    untilNothingRuns().then(() => ['done']),
  ])) as [string];
  expect(response).toBe('done');
  request.destroy();
});
