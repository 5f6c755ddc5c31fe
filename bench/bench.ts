/**
 * `npm run bench`: the cost of a gate with every guarantee, as a ratio to a bare Fastify server in the same run.
 *
 * Server and load have one core each. Every round runs the floor and each operation once, so that a machine whose speed
 * drifts affects all of them. The results are medians over the rounds. docs/performance.md explains the figures.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { type Finding, isMet, MEANINGFUL_ROUNDS, MEMORY_MB, printFindings, START_MS } from './bars.ts';
import { type ChildServer, startChild } from './child-server.ts';
import { bindLoad, SERVER_CORE, TWO_CORES } from './cores.ts';
import { compileShim } from './fsync-shim.ts';
import { median } from './median.ts';
import { type BenchOptions, readOptions } from './options.ts';
import { LEGEND, printRows, rowsOf } from './parts/medians.ts';
import { measureMemory } from './parts/memory.ts';
import { measurePages, pageFindings, printPages } from './parts/pages.ts';
import { measureSlowDisk, printSlowDisk } from './parts/slow-disk.ts';
import { measureSpeed, requestsInAll, type SpeedRound, type Subjects } from './parts/speed.ts';
import { speedFindings, storedFindings } from './parts/speed-findings.ts';
import { measureStart } from './parts/start-time.ts';
import { measurePostgres } from './postgres/measure-postgres.ts';
import type { Sample } from './round.ts';
import { makeWorkDir } from './store/make-work-dir.ts';
import { copyStore, prepareStore } from './store/prepare-store.ts';
import { Subject } from './subject.ts';
import { showProgress } from './table.ts';
import { LIMITER_OFF, LIMITER_ON } from './workload.ts';

const options = readOptions(process.argv.slice(2));
const workDir = makeWorkDir(options.storeDir, 'run-');

async function startSubject(name: keyof Subjects): Promise<Subject> {
  const count = name === 'stored' ? options.stored : 0;
  showProgress(`preparing a store of ${count} intents`);
  const template = prepareStore(count, options.storeDir);
  const directory = join(workDir, name);
  rmSync(directory, { recursive: true, force: true });
  const store = copyStore(template, directory);
  const permits = requestsInAll(options.rounds, options.perRound);
  const core = options.gateCores === 2 ? TWO_CORES : SERVER_CORE;
  const env = name === 'unlimited' ? LIMITER_OFF : LIMITER_ON;
  return Subject.start({ store, permits, shimLibrary, core, env });
}

async function runOnPostgres(): Promise<Finding[]> {
  const { findings, results: samples } = await measurePostgres(options, workDir);
  Object.assign(results, samples);
  return findings;
}

async function runMemory(): Promise<Finding[]> {
  const peaks = await measureMemory(() => startSubject(options.stored > 0 ? 'stored' : 'empty'), options);
  results.peaks = peaks;
  console.log(`\n  peak memory of each gate: ${peaks.map((peak) => peak.toFixed(0)).join(', ')} MB`);
  const what = `peak resident under load, median of ${peaks.length} gates`;
  return [{ what, figure: median(peaks), unit: 'MB', bar: { most: MEMORY_MB } }];
}

async function run({ stored }: BenchOptions): Promise<Finding[]> {
  const subjects: Subjects = {
    empty: await startSubject('empty'),
    unlimited: await startSubject('unlimited'),
  };
  if (stored > 0) subjects.stored = await startSubject('stored');
  const floor = await startChild(join(import.meta.dirname, 'floor-server.ts'), { core: SERVER_CORE });
  try {
    const rounds = await measureSpeed(floor, subjects, options);
    const empty = rowsOf(rounds, 'empty', options);
    const full = stored > 0 ? rowsOf(rounds, 'stored', options) : undefined;
    Object.assign(results, { rounds, rows: { empty, stored: full } });
    printRows('An empty store', empty);
    if (full) printRows(`A store of ${stored.toLocaleString('en')} intents`, full);
    console.log(LEGEND);
    printSyncs(rounds);
    const findings = [...speedFindings(empty, options), ...storedFindings(rounds, options)];
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

/**
 * What is measured on a full store only: pages and the start time. The start time is last, because it ends the gate.
 */
async function measureStored(subject: Subject): Promise<Finding[]> {
  const pages = await measurePages(subject);
  printPages(pages);
  await subject.stop();
  const starts = await measureStart(subject.store.directory);
  console.log(`\n  start to ready: ${starts.map((ms) => ms.toFixed(0)).join(', ')} ms`);
  Object.assign(results, { pages, starts });
  return [
    { what: 'start to ready', figure: median(starts), unit: 'ms', bar: { most: START_MS } },
    ...pageFindings(pages),
  ];
}

/** Counts the fsyncs, to show that every commit waits for the disk. */
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
    `  memory, ${name}: peak ${mb(peak)} MB; now ${mb(resident)} MB, of which ${mb(heapMb)} heap, ${mb(own - heapMb)} caches and similar, ${mb(ofFiles)} mapped files`,
  );
}

const results: Record<string, unknown> = {
  options: { ...options, operations: [...options.operations] },
  machine: { cores: availableParallelism(), cpu: cpus()[0]?.model, node: process.version },
};
bindLoad(options.gateCores);
const shimLibrary = compileShim(workDir);
if (!shimLibrary && !options.postgres)
  console.log('There is no C compiler: fsyncs are neither counted nor slowed down.');
try {
  const findings = await (options.postgres
    ? runOnPostgres()
    : options.memoryRuns > 0
      ? runMemory()
      : run(options));
  printFindings(findings);
  if (options.rounds < MEANINGFUL_ROUNDS) {
    console.log(
      `  ${options.rounds} rounds only show that it works; bars need medians of at least ${MEANINGFUL_ROUNDS} rounds`,
    );
  }
  results.findings = findings.map((finding) => ({ ...finding, met: isMet(finding) }));
  if (options.jsonFile) writeFileSync(options.jsonFile, JSON.stringify(results, null, 2));
  if (options.assert && !findings.every(isMet)) process.exitCode = 1;
} finally {
  rmSync(workDir, { recursive: true, force: true });
}
