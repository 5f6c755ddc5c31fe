/**
 * `npm run bench`: what a gate with every guarantee costs, as a ratio to a bare Fastify server in the same run.
 *
 * Server and load have one core each; every round runs the floor and each operation once, so that a machine whose
 * speed drifts moves all of them. Medians over the rounds. What the figures mean: docs/performance.md.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { type Finding, isMet, printFindings } from './bars.ts';
import { startChild } from './child-server.ts';
import { bindLoad, SERVER_CORE } from './cores.ts';
import { compileShim } from './fsync-shim.ts';
import { type BenchOptions, readOptions } from './options.ts';
import {
  measureSpeed,
  printSpeed,
  requestsInAll,
  type Subjects,
  speedFindings,
  storedFindings,
} from './parts/speed.ts';
import { copyStore, prepareStore } from './store/prepare-store.ts';
import { Subject } from './subject.ts';
import { showProgress } from './table.ts';

const options = readOptions(process.argv.slice(2));
mkdirSync(options.storeDir, { recursive: true });
const workDir = mkdtempSync(join(options.storeDir, 'run-'));

async function startSubject(count: number, profileDir: string | undefined): Promise<Subject> {
  showProgress(`preparing a store of ${count} intents`);
  const template = prepareStore(count, options.storeDir);
  const store = copyStore(template, join(workDir, `store-${count}`));
  const permits = requestsInAll(options.rounds, options.perRound);
  return Subject.start({ store, permits, shimLibrary, profileDir });
}

async function run({ stored, profileDir }: BenchOptions): Promise<Finding[]> {
  const subjects: Subjects = { empty: await startSubject(0, stored > 0 ? undefined : profileDir) };
  if (stored > 0) subjects.stored = await startSubject(stored, profileDir);
  const floor = await startChild(join(import.meta.dirname, 'floor-server.ts'), { core: SERVER_CORE });
  try {
    const rounds = await measureSpeed(floor, subjects, options);
    results.rounds = rounds;
    printSpeed(rounds, options, stored);
    return [...speedFindings(rounds, options), ...storedFindings(rounds, options)];
  } finally {
    await floor.stop();
    for (const subject of Object.values(subjects)) await subject.stop();
  }
}

const results: Record<string, unknown> = {
  options: { ...options, operations: [...options.operations] },
  machine: { cores: availableParallelism(), cpu: cpus()[0]?.model, node: process.version },
};
bindLoad();
const shimLibrary = compileShim(workDir);
if (!shimLibrary) console.log('There is no C compiler: fsyncs are neither counted nor slowed down.');
try {
  const findings = await run(options);
  printFindings(findings);
  results.findings = findings.map((finding) => ({ ...finding, met: isMet(finding) }));
  if (options.jsonFile) writeFileSync(options.jsonFile, JSON.stringify(results, null, 2));
  if (options.assert && !findings.every(isMet)) process.exitCode = 1;
} finally {
  rmSync(workDir, { recursive: true, force: true });
}
