/**
 * One project has the most expensive policy that is possible, and this measures its effect on another project's
 * requests.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Cast, makeCast } from './gate/cast.ts';
import type { Client } from './gate/client.ts';
import { startGate } from './gate/gate-process.ts';
import { FaultFound, type Scenario, type ScenarioOptions } from './scenario.ts';
import { inWorkplace } from './workplace.ts';

/** Requests per second that meet the expensive policy: a steady stream, however long the answers take. */
const HEAVY_PER_SECOND = 50;
const NEIGHBOURS = 8;
const MEASURED_MS = 2000;
/** Generous, because it has to detect a condition that blocks everybody, not a busy machine. */
const MOST_RATIO = 5;
const MOST_MS = 50;

const LONG_LIST = Array.from({ length: 5000 }, (_, n) => n);

/** The requester chooses these parameters. */
const PARAMS = { text: `${'a'.repeat(5000)}!`, list: LONG_LIST, other: LONG_LIST };

const HEAVY_CONDITIONS = [
  "params.text.matches('^(a+)+$')",
  "params.text.matches('^(a|aa)+$')",
  "params.text.matches('(.*)(.*)(.*)(.*)(.*)b')",
  'params.list.all(x, x >= 0)',
  'params.list.filter(x, x % 2 == 0).map(x, x * 2).exists(x, x == -1)',
  'params.other.exists_one(x, x == 4999)',
];

/** Nested walks, which the gate must refuse when the policy is saved. */
const NESTED = ['params.list.all(x, params.other.all(y, x != y + 1))'];

export const hostilePolicy: Scenario = {
  name: 'hostile-policy',
  summary: 'p99 of another project beside conditions made to be slow, and beside harmless ones',
  rounds: 5,
  run: (options) => runHostilePolicy(options),
};

interface Figures {
  alone: number;
  harmless: number;
  hostile: number;
}

async function runHostilePolicy({ rounds, say }: ScenarioOptions): Promise<string> {
  return inWorkplace('policy', async (folder) => {
    const dataDir = join(folder, 'data');
    const cast = await makeCast(dataDir);
    const gate = await startGate(dataDir);
    const { client } = gate;
    await expectRefusedAtSave(client, cast);
    await measure(client, cast, null);
    const all: Figures[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      const figures: Figures = { alone: await measure(client, cast, null), harmless: 0, hostile: 0 };
      await put(client, cast, ["params.text == 'b'"]);
      figures.harmless = await measure(client, cast, HEAVY_PER_SECOND);
      await put(client, cast, HEAVY_CONDITIONS);
      figures.hostile = await measure(client, cast, HEAVY_PER_SECOND);
      all.push(figures);
      say(`round ${round}/${rounds}: p99 ${inWords(figures)}`);
    }
    await gate.kill();
    const middle: Figures = {
      alone: median(all.map(({ alone }) => alone)),
      harmless: median(all.map(({ harmless }) => harmless)),
      hostile: median(all.map(({ hostile }) => hostile)),
    };
    const ratio = middle.hostile / middle.harmless;
    const verdict = `median p99 ${inWords(middle)}: ${ratio.toFixed(2)} times that beside harmless conditions`;
    // One round does not prove anything.
    if (rounds > 1 && ratio > MOST_RATIO && middle.hostile > MOST_MS)
      throw new FaultFound([`${verdict}, more than ${MOST_RATIO} times and ${MOST_MS} ms`]);
    return verdict;
  });
}

function inWords({ alone, harmless, hostile }: Figures): string {
  return `alone ${alone.toFixed(1)} ms, beside harmless conditions ${harmless.toFixed(1)} ms, beside hostile ones ${hostile.toFixed(1)} ms`;
}

/** The p99 of creating intents in the first project, in milliseconds, beside a stream of requests in the other. */
async function measure(client: Client, cast: Cast, heavyPerSecond: number | null): Promise<number> {
  let over = false;
  const heavy =
    heavyPerSecond === null ? Promise.resolve() : sendHeavy(client, cast, heavyPerSecond, () => over);
  const latencies: number[] = [];
  const ends = performance.now() + MEASURED_MS;
  await Promise.all(
    Array.from({ length: NEIGHBOURS }, async () => {
      while (performance.now() < ends) {
        const asked = performance.now();
        const body = { action: 'payments.refund', params: { amount: 1 } };
        const answer = await client.ask({ method: 'POST', path: '/v1/intents', key: cast.agentKey, body });
        if (answer?.status !== 201)
          throw new FaultFound([`the neighbour is answered ${answer?.status ?? 'nothing'}`]);
        latencies.push(performance.now() - asked);
        await delay(5);
      }
    }),
  );
  over = true;
  await heavy;
  latencies.sort((a, b) => a - b);
  return latencies[Math.floor(latencies.length * 0.99)] ?? 0;
}

/** No request waits for another. A condition that costs too much only makes the outcome stricter: a person decides. */
async function sendHeavy(
  client: Client,
  { other }: Cast,
  perSecond: number,
  isOver: () => boolean,
): Promise<void> {
  const sent: Promise<void>[] = [];
  const begun = performance.now();
  for (let n = 0; !isOver(); n += 1) {
    const body = { action: 'heavy.one', params: PARAMS };
    sent.push(
      client.ask({ method: 'POST', path: '/v1/intents', key: other.secretKey, body }).then((answer) => {
        if (answer?.status !== 201 && answer?.status !== 403)
          throw new FaultFound([`the heavy request is answered ${answer?.status ?? 'nothing'}`]);
      }),
    );
    await delay(Math.max(0, begun + ((n + 1) * 1000) / perSecond - performance.now()));
  }
  await Promise.all(sent);
}

async function put(client: Client, { other }: Cast, conditions: readonly string[]): Promise<void> {
  const answer = await putConditions(client, { other }, conditions);
  if (answer?.status !== 200) throw new Error(`the policy was refused: ${JSON.stringify(answer?.body)}`);
}

async function expectRefusedAtSave(client: Client, cast: Cast): Promise<void> {
  const answer = await putConditions(client, cast, NESTED);
  if (answer?.status !== 400)
    throw new FaultFound([`walks in walks are answered ${answer?.status ?? 'nothing'} at save`]);
}

function putConditions(client: Client, { other }: Pick<Cast, 'other'>, conditions: readonly string[]) {
  const rules = conditions.map((when, n) => ({
    name: `rule ${n}`,
    match: { action: 'heavy.*' },
    when,
    effect: 'deny',
  }));
  return client.ask({
    method: 'PUT',
    path: `/v1/projects/${other.projectId}/policies`,
    key: other.secretKey,
    body: { name: 'heavy', default: { approvers: ['role:owner'], min_approvals: 1 }, rules },
  });
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
