/** The disk is full: changes are refused, existing data can be read, and the gate continues when there is space. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { checkChain } from './checks/check-chain.ts';
import { findHalfDone } from './checks/find-half-done.ts';
import { findLost } from './checks/find-lost.ts';
import { findUnrepeatable } from './checks/find-unrepeatable.ts';
import { readGate } from './checks/read-gate.ts';
import { type Cast, makeCast } from './gate/cast.ts';
import type { Answer } from './gate/client.ts';
import { type GateProcess, startGate } from './gate/gate-process.ts';
import { seededRandom } from './random.ts';
import { assertNoFindings, CannotRun, type Scenario, type ScenarioOptions } from './scenario.ts';
import { ControlFile } from './shim/control-file.ts';
import { compileShim, shimEnvironment } from './shim/shim.ts';
import { mountTmpfs } from './small-disk.ts';
import { Chronicle, errorOf } from './stories/chronicle.ts';
import { tellAll } from './stories/tell-all.ts';
import { inWorkplace } from './workplace.ts';

/** A disk that can be filled and emptied again. */
interface SmallDisk {
  dataDir: string;
  env: NodeJS.ProcessEnv;
  fill(): void;
  empty(): void;
  remove(): void;
}

export const diskFull: Scenario = {
  name: 'disk-full',
  summary: 'a small tmpfs is filled under load and emptied again (needs root)',
  rounds: 5,
  run: (options) => runDiskFull(options, mountSmallDisk),
};

export const diskFullByShim: Scenario = {
  name: 'no-space',
  summary: 'writes that make a file longer are refused (ENOSPC), then syncs fail (EIO), then both work again',
  rounds: 5,
  run: (options) => runDiskFull(options, pretendSmallDisk),
};

const WORK_MS = 300;
const FULL_MS = 500;
const IN_SHORT_MS = 100;
/** A gate that does not recover on its own in this time is considered never to recover. */
const RECOVERY_MS = 60_000;

async function runDiskFull(
  { rounds, seed, short, say }: ScenarioOptions,
  makeDisk: (folder: string) => SmallDisk,
): Promise<string> {
  const random = seededRandom(seed);
  return inWorkplace('full', async (folder) => {
    const disk = makeDisk(folder);
    try {
      const cast = await makeCast(disk.dataDir);
      const chronicle = new Chronicle();
      const gate = await startGate(disk.dataDir, disk.env);
      const { client } = gate;
      let over = false;
      const told = tellAll({ client, cast, chronicle, random, name: 'f', isOver: () => over });
      for (let round = 1; round <= rounds; round += 1) {
        await delay(short ? IN_SHORT_MS : WORK_MS);
        disk.fill();
        const refused = await untilRefused(gate, cast, round);
        await delay(short ? IN_SHORT_MS : FULL_MS);
        await assertReadable(gate, cast, chronicle);
        await untilReadiness(gate, 503);
        disk.empty();
        const ms = await untilWriting(gate, cast, round);
        await untilReadiness(gate, 200);
        say(
          `round ${round}/${rounds}: refused with Retry-After ${String(refused.headers['retry-after'])}, reads answered, ` +
            `writing again after ${ms.toFixed(0)} ms`,
        );
      }
      over = true;
      await told;
      const findings = [...chronicle.surprises];
      findings.push(...(await findUnrepeatable(client, chronicle.deeds, chronicle.deeds)));
      const seen = await readGate(client, cast, async () => {
        const chain = await checkChain(client, cast, { dataDir: disk.dataDir, folder });
        findings.push(...chain.findings);
        return chain.records;
      });
      findings.push(...findLost(seen, chronicle), ...(await findHalfDone(seen, cast)));
      assertNoFindings(findings, 'after the disk was full');
      await gate.kill();
      return (
        `${rounds} times full, ${chronicle.unavailable().length} requests of stories answered 503; ` +
        `all of ${chronicle.done().length} acknowledged changes there`
      );
    } finally {
      disk.remove();
    }
  });
}

async function untilRefused({ client }: GateProcess, cast: Cast, round: number): Promise<Answer> {
  for (let n = 0; ; n += 1) {
    const answer = await createOne(client, cast, `full_${round}_${n}`);
    if (!answer) throw new Error('the gate is gone');
    if (answer.status === 201) continue;
    const findings = [];
    if (answer.status !== 503) findings.push(`a request that cannot be kept is answered ${answer.status}`);
    if (errorOf(answer).code !== 'service_unavailable')
      findings.push(`its code is ${String(errorOf(answer).code)}`);
    if (!/^[1-9]\d*$/.test(String(answer.headers['retry-after'])))
      findings.push(`its Retry-After is ${String(answer.headers['retry-after'])}`);
    assertNoFindings(findings, 'while the disk is full');
    return answer;
  }
}

/** Reads an intent, a list, the project and the keys, and checks that the gate is alive. */
async function assertReadable({ client }: GateProcess, cast: Cast, chronicle: Chronicle): Promise<void> {
  const created = chronicle.done().find(({ kind, answer }) => kind === 'create' && answer.status === 201);
  const paths = [
    ...(created ? [`/v1/intents/${String(created.answer.body.id)}`] : []),
    '/api/intents?limit=50',
    `/v1/projects/${cast.projectId}`,
    `/v1/projects/${cast.projectId}/policies`,
    '/.well-known/jwks.json',
    '/healthz',
  ];
  const findings: string[] = [];
  for (const path of paths) {
    const answer = await client.ask({ method: 'GET', path, key: cast.secretKey });
    if (answer?.status !== 200) findings.push(`GET ${path} is answered ${answer?.status ?? 'nothing'}`);
  }
  assertNoFindings(findings, 'while the disk is full');
}

async function untilWriting({ client }: GateProcess, cast: Cast, round: number): Promise<number> {
  const started = performance.now();
  for (let n = 0; performance.now() - started < RECOVERY_MS; n += 1) {
    const answer = await createOne(client, cast, `room_${round}_${n}`);
    if (answer?.status === 201) return performance.now() - started;
    await delay(20);
  }
  assertNoFindings([`it still refuses ${RECOVERY_MS} ms after there was room again`], `round ${round}`);
  return 0;
}

/** The gate checks every two seconds. The few bytes of the check may fit where nothing else does. */
async function untilReadiness({ client }: GateProcess, status: number): Promise<void> {
  const started = performance.now();
  for (;;) {
    const answer = await client.ask({ method: 'GET', path: '/readyz' });
    if (answer?.status === status) return;
    const waited = performance.now() - started;
    assertNoFindings(
      waited > RECOVERY_MS ? [`/readyz is answered ${answer?.status} for ${RECOVERY_MS} ms`] : [],
      `instead of ${status}`,
    );
    await delay(50);
  }
}

function createOne(client: GateProcess['client'], cast: Cast, n: string): Promise<Answer | undefined> {
  const body = { action: 'payments.refund', params: { n, note: 'x'.repeat(2000) } };
  return client.ask({ method: 'POST', path: '/v1/intents', key: cast.agentKey, body });
}

// Enough for what the stories write until the gate is ready.
const DISK_MB = 256;

function mountSmallDisk(folder: string): SmallDisk {
  const disk = mountTmpfs(folder, DISK_MB);
  if (disk instanceof Error)
    throw new CannotRun(
      `a small disk takes root and mount (${disk.message}); the scenario no-space does without.`,
    );
  return { ...disk, dataDir: join(disk.path, 'data'), env: {} };
}

function pretendSmallDisk(folder: string): SmallDisk {
  const shim = compileShim();
  const dataDir = join(folder, 'data');
  const control = new ControlFile(folder);
  let times = 0;
  return {
    dataDir,
    env: shimEnvironment(shim, dataDir, control.path),
    fill() {
      times += 1;
      if (times % 2 === 1) control.setDiskFull(true);
      else control.setFailSyncs(true);
    },
    empty() {
      control.setDiskFull(false);
      control.setFailSyncs(false);
    },
    remove: () => control.close(),
  };
}
