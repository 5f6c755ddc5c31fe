/**
 * Idle connections, slow bodies, and floods of requests whose answers are not read: other clients are still served, and memory is bounded.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Cast, makeCast } from './gate/cast.ts';
import { type GateProcess, startGate } from './gate/gate-process.ts';
import { assertNoFindings, CannotRun, type Scenario, type ScenarioOptions } from './scenario.ts';
import { inWorkplace } from './workplace.ts';

/** Idle connections per round. Four rounds make ten thousand. */
const IDLE_PER_ROUND = 2500;
const SLOW = 200;
const FLOODS = 16;
const PIPELINED = 1500;
const IN_SHORT = { idle: 1000, slow: 50, pipelined: 200 };
const IN_FULL = { idle: IDLE_PER_ROUND, slow: SLOW, pipelined: PIPELINED };
/** Open files that idle connections leave free on both sides, for files and for other connections. */
const SPARE_FILES = 1500;

/** A generous limit, which detects unbounded growth and no exact figures. */
const MOST_GROWTH_MB = 250;
const MOST_KB_PER_IDLE = 40;
/** The gate allows 30 s for a request to arrive. */
const TOO_SLOW_MS = 35_000;

export const connections: Scenario = {
  name: 'connections',
  summary: '10,000 idle connections, slow bodies, floods nobody reads: others are served, memory is bounded',
  rounds: 4,
  run: (options) => runConnections(options),
};

async function runConnections({ rounds, short, say }: ScenarioOptions): Promise<string> {
  if (process.platform !== 'linux') throw new CannotRun('memory and limits are read from /proc: Linux only.');
  const size = short ? IN_SHORT : IN_FULL;
  return inWorkplace('connections', async (folder) => {
    const dataDir = join(folder, 'data');
    const cast = await makeCast(dataDir);
    const gate = await startGate(dataDir);
    const idle: Socket[] = [];
    const findings: string[] = [];
    await flood(gate, cast, size.pipelined);
    const before = gate.memoryMb();
    let idleMb = 0;
    for (let round = 1; round <= rounds; round += 1) {
      const wanted = Math.min(size.idle, openFilesLeft(idle.length));
      const beforeIdle = gate.memoryMb();
      for (let n = 0; n < wanted; n += 500)
        idle.push(
          ...(await Promise.all(Array.from({ length: Math.min(500, wanted - n) }, () => open(gate)))),
        );
      idleMb += gate.memoryMb() - beforeIdle;
      const slow = await Promise.all(Array.from({ length: size.slow }, () => beginSlowly(gate, cast)));
      const { served, longestMs } = await serveOthers(gate, cast, flood(gate, cast, size.pipelined));
      if (served === 0) findings.push('nobody else was served during a flood');
      // The short form does not wait for the gate's time-out. test/adversarial tests it with a shorter one.
      if (!short && round === rounds) findings.push(...(await findNotTimedOut(slow)));
      for (const socket of slow) socket.destroy();
      const growth = gate.memoryMb() - before - idleMb;
      if (growth > MOST_GROWTH_MB)
        findings.push(`memory grew by ${growth.toFixed(0)} MB beside its connections`);
      assertNoFindings(findings, `round ${round}`);
      say(
        `round ${round}/${rounds}: ${idle.length} idle connections, ${size.slow} slow bodies, ${FLOODS * size.pipelined} requests ` +
          `in a flood; ${served} others served, none waited longer than ${longestMs.toFixed(0)} ms; ${gate.memoryMb().toFixed(0)} MB`,
      );
    }
    if ((idleMb * 1024) / idle.length > MOST_KB_PER_IDLE && idleMb > MOST_GROWTH_MB)
      findings.push(`${idle.length} idle connections cost ${idleMb.toFixed(0)} MB`);
    const alive = idle.filter((socket) => !socket.destroyed).length;
    for (const socket of idle) socket.destroy();
    await expectServed(gate, cast, findings);
    assertNoFindings(findings, 'in the end');
    await gate.kill();
    return `${idle.length} idle connections (${alive} still open) cost ${idleMb.toFixed(0)} MB; others were served throughout`;
  });
}

/** How many more connections can be opened by this process, or by the gate, which inherits its limit. */
function openFilesLeft(taken: number): number {
  const limit = /Max open files\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
  return Math.max(0, Number(limit ?? 1024) - SPARE_FILES - taken);
}

async function open(gate: GateProcess): Promise<Socket> {
  const { hostname, port } = new URL(gate.client.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

interface SlowSender {
  socket: Socket;
  destroy(): void;
  answer(): string;
}

/** A request whose body arrives one byte at a time. */
async function beginSlowly(gate: GateProcess, { agentKey }: Cast): Promise<SlowSender> {
  const socket = await open(gate);
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  const head = ['POST /v1/intents HTTP/1.1', 'Host: gate', `Authorization: Bearer ${agentKey}`];
  socket.write(
    `${[...head, 'Content-Type: application/json', 'Content-Length: 5000'].join('\r\n')}\r\n\r\n{`,
  );
  const trickle = setInterval(() => socket.write(' '), 1000);
  socket.on('close', () => clearInterval(trickle));
  return {
    socket,
    answer: () => answer,
    destroy: () => {
      clearInterval(trickle);
      socket.destroy();
    },
  };
}

async function findNotTimedOut(slow: readonly SlowSender[]): Promise<string[]> {
  await Promise.race([
    Promise.all(slow.map(({ socket }) => socket.closed || once(socket, 'close'))),
    delay(TOO_SLOW_MS),
  ]);
  const others = slow.filter(({ answer }) => !answer().startsWith('HTTP/1.1 408 '));
  return others.length === 0
    ? []
    : [
        `${others.length} of ${slow.length} slow bodies were not answered 408: ${others[0]?.answer().slice(0, 80)}`,
      ];
}

/** Many simultaneous requests over many connections, whose answers stay unread for a while. */
async function flood(gate: GateProcess, { agentKey }: Cast, pipelined: number): Promise<void> {
  const one = `GET /v1/intents/int_none HTTP/1.1\r\nHost: gate\r\nAuthorization: Bearer ${agentKey}\r\n\r\n`;
  const sockets = await Promise.all(Array.from({ length: FLOODS }, () => open(gate)));
  const answered = sockets.map((socket) => {
    socket.pause();
    socket.write(one.repeat(pipelined));
    return delay(300).then(() => countAnswers(socket, pipelined));
  });
  await Promise.all(answered);
  for (const socket of sockets) socket.destroy();
}

function countAnswers(socket: Socket, expected: number): Promise<number> {
  return new Promise((resolve) => {
    let count = 0;
    let rest = '';
    socket.on('data', (chunk) => {
      rest += chunk;
      count += rest.split('HTTP/1.1 404').length - 1;
      // This may be the beginning of the next answer.
      rest = rest.slice(Math.max(0, rest.lastIndexOf('HTTP/1.1 404') + 1)).slice(-2000);
      if (count >= expected) resolve(count);
    });
    socket.on('close', () => resolve(count));
    socket.resume();
  });
}

/** Sends other clients' requests one after another until `until` resolves. Returns how many were answered normally. */
async function serveOthers(
  gate: GateProcess,
  cast: Cast,
  until: Promise<void>,
): Promise<{ served: number; longestMs: number }> {
  let over = false;
  let longestMs = 0;
  void until.then(() => {
    over = true;
  });
  let served = 0;
  const findings: string[] = [];
  while (!over && findings.length === 0) {
    const asked = performance.now();
    await expectServed(gate, cast, findings);
    longestMs = Math.max(longestMs, performance.now() - asked);
    served += 1;
  }
  assertNoFindings(findings, 'beside a flood');
  await until;
  return { served, longestMs };
}

async function expectServed(
  { client }: GateProcess,
  { agentKey: key }: Cast,
  findings: string[],
): Promise<void> {
  const body = { action: 'payments.refund', params: {} };
  const answer = await client.ask({ method: 'POST', path: '/v1/intents', key, body });
  if (answer?.status !== 201) findings.push(`another client is answered ${answer?.status ?? 'nothing'}`);
}
