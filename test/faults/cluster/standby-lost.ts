import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Ask } from '../gate/client.ts';
import { permitry } from '../gate/gate-process.ts';
import { assertNoFindings } from '../scenario.ts';
import { ClusterGate } from './cluster-gate.ts';
import type { World } from './world.ts';

const WORK_MS = 1000;
const CLOSED_WITHIN_MS = 60_000;

/**
 * A primary that does not wait for its standby is lost, together with the commits that it alone acknowledged. Every
 * gate closes before anything is used twice. A gate that restarts or is new does not serve. All serve once the restore
 * is declared. The checks then find the loss, which tests the test. The world is unusable afterwards.
 *
 * @throws FaultFound for a gate that still answers, and when no loss was found
 */
export async function findLossWithoutStandby(world: World): Promise<string> {
  const { database, chronicle } = world;
  await database.loseStandbySilently();
  const before = chronicle.answered;
  world.startLoad();
  await delay(WORK_MS);
  await world.stopLoad();
  const done = chronicle.done().filter(({ answeredAs }) => answeredAs > before);
  const uses = done.filter(({ kind }) => kind === 'consume').map(({ ask }) => ask);
  await database.failOver();
  const findings = await Promise.all(world.gates.map((gate) => untilClosed(world, gate, uses)));
  assertNoFindings(findings.flat(), 'after commits were lost');
  assertNoFindings(await findStarted(world), 'after commits were lost');
  await declareAndStart(world);
  assertNoFindings(
    (await Promise.all(world.gates.map((gate) => useAgain(gate, uses)))).flat(),
    'after the loss is declared',
  );
  const wrongs = await world.findWrongs();
  const lost = wrongs.filter((wrong) => wrong.includes('the intent is gone'));
  assertNoFindings(
    lost.length > 0
      ? []
      : [`of ${done.length} acknowledged changes none is missed; ${wrongs.length} other findings`],
    'without a synchronous standby',
  );
  return (
    `control: without a synchronous standby ${lost.length} acknowledged changes are found to be lost; all gates closed, ` +
    `and none of ${uses.length} permits was used twice`
  );
}

/** Tries every used permit again. */
async function useAgain(gate: ClusterGate, uses: readonly Ask[]): Promise<string[]> {
  const findings: string[] = [];
  for (const { idempotencyKey: _, ...use } of uses) {
    const answer = await gate.ask(use);
    if (answer && answer.status < 300) findings.push(`gate ${gate.name} let a permit be used twice`);
  }
  return findings;
}

/** Retries until the gate has found the new primary and says that it is closed. */
async function untilClosed({ cast }: World, gate: ClusterGate, uses: readonly Ask[]): Promise<string[]> {
  const findings: string[] = [];
  const deadline = performance.now() + CLOSED_WITHIN_MS;
  for (;;) {
    findings.push(...(await useAgain(gate, uses)));
    const ready = await gate.ask({ method: 'GET', path: '/readyz' });
    if (ready?.status === 503 && ready.body.status === 'commits_lost') break;
    if (performance.now() > deadline) {
      findings.push(`gate ${gate.name} is not closed: ${JSON.stringify(ready?.body)}`);
      break;
    }
  }
  const body = { action: 'auto.note', params: {} };
  const asked = await gate.ask({ method: 'POST', path: '/v1/intents', key: cast.agentKey, body });
  if (asked?.status !== 503) findings.push(`gate ${gate.name} takes requests: ${asked?.status}`);
  return findings;
}

/** Whether a gate that restarts, or a new one, serves. */
async function findStarted({ gates, env, folder }: World): Promise<string[]> {
  const [withDirectory] = gates;
  const findings: string[] = [];
  await withDirectory.kill();
  const empty = join(folder, 'new-gate');
  mkdirSync(empty);
  const newcomer = new ClusterGate('new', { env: { ...env, PERMITRY_DATA: empty } });
  for (const gate of [withDirectory, newcomer]) {
    const refusal = await gate.start().then(
      () => 'it serves',
      (error: unknown) => String(error),
    );
    if (!refusal.includes('declare-restored')) findings.push(`gate ${gate.name}, started: ${refusal}`);
    await gate.kill();
  }
  return findings;
}

async function declareAndStart(world: World): Promise<void> {
  const { cast, env, gates } = world;
  await Promise.all(gates.map((gate) => gate.stop()));
  const deadline = performance.now() + CLOSED_WITHIN_MS;
  const declare = () => permitry(['declare-restored', '--keep-keys', '--json'], env);
  let declared = await declare();
  // The killed gate counts as alive for a while.
  while (
    declared.code !== 0 &&
    declared.stderr.includes('served this database') &&
    performance.now() < deadline
  ) {
    await delay(500);
    declared = await declare();
  }
  assertNoFindings(declared.code === 0 ? [] : [declared.stderr], 'permitry declare-restored');
  await Promise.all(gates.map((gate) => gate.start()));
  for (const { projectId, secretKey: key } of [cast, cast.other])
    await gates[0].ask({ method: 'POST', path: `/v1/projects/${projectId}/start`, key, body: {} });
}
