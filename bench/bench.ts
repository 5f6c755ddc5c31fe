/**
 * `npm run bench`: what a gate with every guarantee costs, as a ratio to a bare Fastify server in the same run.
 *
 * Server and load have one core each; every round runs the floor and each operation once, so that a machine whose
 * speed drifts moves all of them. Medians over the rounds. What the figures mean: docs/performance.md.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { type Finding, isMet, MEANINGFUL_ROUNDS, MEMORY_MB, printFindings, START_MS } from './bars.ts';
import { type ChildServer, startChild } from './child-server.ts';
import { bindLoad, SERVER_CORE } from './cores.ts';
import { compileShim } from './fsync-shim.ts';
import { median } from './median.ts';
import { type BenchOptions, readOptions } from './options.ts';
import { measurePages, pageFindings, printPages } from './parts/pages.ts';
import { measureSlowDisk, printSlowDisk } from './parts/slow-disk.ts';
import {
  measureSpeed,
  printSpeed,
  requestsInAll,
  type SpeedRound,
  type Subjects,
  speedFindings,
  storedFindings,
} from './parts/speed.ts';
import { measureStart } from './parts/start-time.ts';
import { measurePostgres } from './postgres/measure-postgres.ts';
import type { Sample } from './round.ts';
import { makeWorkDir } from './store/make-work-dir.ts';
import { copyStore, prepareStore } from './store/prepare-store.ts';
import { Subject } from './subject.ts';
import { showProgress } from './table.ts';

const options = readOptions(process.argv.slice(2));
const workDir = makeWorkDir(options.storeDir, 'run-');

async function startSubject(count: number, profileDir: string | undefined): Promise<Subject> {
  showProgress(`preparing a store of ${count} intents`);
  const template = prepareStore(count, options.storeDir);
  const store = copyStore(template, join(workDir, `store-${count}`));
  const permits = requestsInAll(options.rounds, options.perRound);
  return Subject.start({ store, permits, shimLibrary, profileDir });
}

async function runOnPostgres(): Promise<Finding[]> {
  const { findings, results: samples } = await measurePostgres(options, workDir);
  Object.assign(results, samples);
  return findings;
}

async function run({ stored, profileDir }: BenchOptions): Promise<Finding[]> {
  const subjects: Subjects = { empty: await startSubject(0, stored > 0 ? undefined : profileDir) };
  if (stored > 0) subjects.stored = await startSubject(stored, profileDir);
  const floor = await startChild(join(import.meta.dirname, 'floor-server.ts'), { core: SERVER_CORE });
  try {
    const rounds = await measureSpeed(floor, subjects, options);
    results.rounds = rounds;
    printSpeed(rounds, options, stored);
    printSyncs(rounds);
    const findings = [...speedFindings(rounds, options), ...storedFindings(rounds, options)];
    for (const [name, subject] of Object.entries(subjects)) await printMemory(name, subject.server);

    if (options.fsyncDelayMs > 0) {
      const lines = await measureSlowDisk(floor, subjects.empty, options);
      results.slowDisk = lines;
      printSlowDisk(lines, options.fsyncDelayMs);
    }
    if (subjects.stored) findings.push(...(await measureStored(subjects.stored)));
    return findings;
  } finally {
    await floor.stop();
    for (const subject of Object.values(subjects)) await subject.stop();
  }
}

/** What is asked of a full store alone: memory, pages, and last of all, since it ends the gate, how soon one starts. */
async function measureStored(subject: Subject): Promise<Finding[]> {
  const memory = subject.server.memory();
  const pages = await measurePages(subject);
  printPages(pages);
  await subject.stop();
  const starts = await measureStart(subject.store.directory);
  console.log(`\n  start to ready: ${starts.map((ms) => ms.toFixed(0)).join(', ')} ms`);
  Object.assign(results, { memory, pages, starts });
  return [
    { what: 'peak resident under load', figure: memory.peak, unit: 'MB', bar: { most: MEMORY_MB } },
    { what: 'start to ready', figure: median(starts), unit: 'ms', bar: { most: START_MS } },
    ...pageFindings(pages),
  ];
}

/** That every commit waits for the disk is counted, not believed. */
function printSyncs(rounds: readonly SpeedRound[]): void {
  const creations = rounds.flatMap(({ empty }) => empty.create ?? []);
  const sum = (pick: (sample: Sample) => number): number =>
    creations.reduce((all, sample) => all + pick(sample), 0);
  if (creations.length === 0 || creations.some(({ syncs }) => syncs === undefined)) return;
  console.log(
    `\n  synchronous=FULL: ${sum(({ syncs = 0 }) => syncs)} fsync calls for ${sum(({ commits }) => commits)} commits of ${sum(({ requests }) => requests)} creations`,
  );
}

async function printMemory(name: string, server: ChildServer): Promise<void> {
  const { resident, own, ofFiles, peak } = server.memory();
  const { heapMb } = await server.ask();
  const mb = (megabytes: number): string => megabytes.toFixed(0);
  console.log(
    `  memory, ${name} store: ${mb(peak)} MB at most; ${mb(resident)} MB now, of which ${mb(heapMb)} heap, ${mb(own - heapMb)} caches and the like, ${mb(ofFiles)} mapped files`,
  );
}

const results: Record<string, unknown> = {
  options: { ...options, operations: [...options.operations] },
  machine: { cores: availableParallelism(), cpu: cpus()[0]?.model, node: process.version },
};
bindLoad();
const shimLibrary = compileShim(workDir);
if (!shimLibrary && !options.postgres)
  console.log('There is no C compiler: fsyncs are neither counted nor slowed down.');
try {
  const findings = options.postgres ? await runOnPostgres() : await run(options);
  printFindings(findings);
  if (options.rounds < MEANINGFUL_ROUNDS) {
    console.log(
      `  ${options.rounds} rounds show that it works; bars are for medians of ${MEANINGFUL_ROUNDS} and more`,
    );
  }
  results.findings = findings.map((finding) => ({ ...finding, met: isMet(finding) }));
  if (options.jsonFile) writeFileSync(options.jsonFile, JSON.stringify(results, null, 2));
  if (options.assert && !findings.every(isMet)) process.exitCode = 1;
} finally {
  rmSync(workDir, { recursive: true, force: true });
}
