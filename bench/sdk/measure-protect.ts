/**
 * A call of a protected function that policy allows, on loopback, one at a time, compared with two others.
 *
 * - `bare`: the two calls that it needs, by `fetch` and nothing else: POST /v1/intents, and POST
 *   /v1/permits/validate with `consume: true`. No idempotency keys, no outcome, no checks of the answers.
 *
 * - `bare, with keys and outcome`: the same with an Idempotency-Key on both, then POST …/outcome: the calls of
 *   `protect`, without `protect` itself.
 *
 * `protect` is timed until its result is there, which does not wait for the report. The next call begins when the report
 * has arrived. `protect, reported` is timed until then. Each round alternates all of them, so that none gets the quieter
 * moment. The function itself does nothing.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { databaseOf, openGate, readConfig } from '@permitry/server';
import { initialiseGate } from '../../packages/server/src/people/initialise-gate.ts';
import type { Finding } from '../bars.ts';
import { startChild } from '../child-server.ts';
import { SERVER_CORE } from '../cores.ts';
import { median } from '../median.ts';
import { printTable } from '../table.ts';
import { BASE_URL, paramsOf } from '../workload.ts';
import type { Sdk } from './bundle-sdk.ts';

const MOST_ADDED_MS = 3;
const ACTION = 'bench.allowed';
const SUBJECTS = ['bare', 'bare, with keys and outcome', 'protect', 'protect, reported'] as const;
type Subject = (typeof SUBJECTS)[number];

/** Milliseconds of each call, by round. */
export type ProtectRound = Record<Subject, number[]>;

export async function measureProtect(
  sdk: Sdk,
  { rounds, perRound, dataDir }: { rounds: number; perRound: number; dataDir: string },
): Promise<ProtectRound[]> {
  mkdirSync(dataDir);
  const first = await prepareGate(dataDir);
  const server = await startChild(join(import.meta.dirname, '../gate-server.ts'), {
    core: SERVER_CORE,
    args: [dataDir],
  });
  try {
    const url = `http://127.0.0.1:${server.port}`;
    await allow(url, first);
    const subjects = prepareCalls(sdk, url, first.agent_key);
    const measured: ProtectRound[] = [];
    // The first round warms up.
    for (let round = 0; round <= rounds; round += 1) {
      const result: ProtectRound = {
        bare: [],
        'bare, with keys and outcome': [],
        protect: [],
        'protect, reported': [],
      };
      for (let call = 0; call < perRound; call += 1) {
        for (const subject of SUBJECTS) {
          result[subject].push(await timeOf(subjects.calls[subject]));
          await subjects.settled();
        }
      }
      if (round > 0) measured.push(result);
    }
    return measured;
  } finally {
    await server.stop();
  }
}

async function prepareGate(dataDir: string) {
  const config = readConfig({ PERMITRY_DATA: dataDir });
  const opened = await openGate({
    database: databaseOf(config),
    issuer: BASE_URL,
    signingKeys: config.signingKeys,
  });
  const first = await initialiseGate(opened.gate, {
    mode: 'test',
    projectName: 'Bench',
    ownerEmail: 'owner@example.org',
  });
  await opened.close();
  return first;
}

async function allow(url: string, first: { project_id: string; secret_key: string }): Promise<void> {
  await post(`${url}/v1/projects/${first.project_id}/policies`, first.secret_key, {
    method: 'PUT',
    body: {
      name: 'bench',
      default: { approvers: ['role:approver'], min_approvals: 1 },
      rules: [{ name: 'allowed', match: { action: ACTION }, effect: 'allow' }],
    },
  });
}

interface Subjects {
  calls: Record<Subject, () => Promise<unknown>>;
  settled(): Promise<void>;
}

function prepareCalls(sdk: Sdk, url: string, key: string): Subjects {
  const permitry = new sdk.Permitry({ baseUrl: url, apiKey: key });
  const run = permitry.protect(ACTION, () => 'done');
  let count = 0;
  const nextParams = () => {
    count += 1;
    return paramsOf(count);
  };
  return {
    calls: {
      bare: () => callBare(url, key, nextParams()),
      'bare, with keys and outcome': () => callWithKeys(url, key, nextParams()),
      protect: () => run(nextParams()),
      'protect, reported': () => run(nextParams()).then(() => permitry.reported()),
    },
    settled: () => permitry.reported(),
  };
}

type Params = ReturnType<typeof paramsOf>;

async function callBare(url: string, key: string, params: Params): Promise<void> {
  const created = await post(`${url}/v1/intents`, key, { body: { action: ACTION, params } });
  const { token } = created.permit as { token: string };
  const body = { token, action: ACTION, params, consume: true };
  await post(`${url}/v1/permits/validate`, key, { body });
}

async function callWithKeys(url: string, key: string, params: Params): Promise<void> {
  const idempotencyKey = () => crypto.randomUUID();
  const declaration = { body: { action: ACTION, params }, idempotencyKey: idempotencyKey() };
  const created = await post(`${url}/v1/intents`, key, declaration);
  const { token } = created.permit as { token: string };
  const use = { token, action: ACTION, params, consume: true };
  await post(`${url}/v1/permits/validate`, key, { body: use, idempotencyKey: idempotencyKey() });
  const outcome = { body: { outcome: 'succeeded' }, idempotencyKey: idempotencyKey() };
  await post(`${url}/v1/intents/${created.id}/outcome`, key, outcome);
}

async function post(
  url: string,
  key: string,
  { method = 'POST', body, idempotencyKey }: { method?: string; body: object; idempotencyKey?: string },
): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${JSON.stringify(answer)}`);
  return answer;
}

async function timeOf(call: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await call();
  return performance.now() - begun;
}

function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** p50 of `subject` minus p50 of `bare`, within a round. */
function addedMs(rounds: readonly ProtectRound[], subject: Subject): number {
  return median(rounds.map((round) => percentile(round[subject], 0.5) - percentile(round.bare, 0.5)));
}

export function printProtect(rounds: readonly ProtectRound[]): void {
  const rows = SUBJECTS.map((subject) => {
    const of = (share: number) => median(rounds.map((round) => percentile(round[subject], share))).toFixed(2);
    return [subject, of(0.5), of(0.99), subject === 'bare' ? '' : addedMs(rounds, subject).toFixed(2)];
  });
  printTable('A call that policy allows, ms', ['', 'p50', 'p99', 'added to bare, p50'], rows);
}

export function protectFindings(rounds: readonly ProtectRound[]): Finding[] {
  return [
    {
      what: 'protect, added to the bare calls, p50',
      figure: addedMs(rounds, 'protect'),
      unit: 'ms',
      bar: { most: MOST_ADDED_MS },
    },
  ];
}
