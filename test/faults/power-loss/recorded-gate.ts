/** Runs a gate under the shim until it is killed, and records everything that reached its disk, in order. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { Cast } from '../gate/cast.ts';
import { cleanEnvironment, startGate } from '../gate/gate-process.ts';
import type { Random } from '../random.ts';
import { assertNoFindings } from '../scenario.ts';
import { Chronicle } from '../stories/chronicle.ts';
import { tellAll } from '../stories/tell-all.ts';
import type { JournalRecord } from './journal.ts';
import { openRecorder } from './recorder.ts';

export interface RecordedGate {
  cast: Cast;
  chronicle: Chronicle;
  /**
   * The journal begins with an empty directory. Mark 0: the cast was created. Each later mark is the number of answers
   * so far.
   */
  journal: JournalRecord[];
  dataDir: string;
}

const FEWEST_ANSWERS = 30;

export interface Recording {
  shim: string;
  random: Random;
  lifeMs: number;
  /** After the creation of the cast, the disk reports that it has written, although it has not. */
  swallowSyncs: boolean;
}

export async function recordGate(
  folder: string,
  { shim, random, lifeMs, swallowSyncs }: Recording,
): Promise<RecordedGate> {
  const recorder = openRecorder(folder, shim);
  const { dataDir, env } = recorder;
  const cast = await makeCastUnder(env, dataDir);
  recorder.mark(0);
  recorder.control.setSwallowSyncs(swallowSyncs);

  const chronicle = new Chronicle((answeredAs) => recorder.mark(answeredAs));
  const gate = await startGate(dataDir, env);
  let over = false;
  const told = tellAll({ client: gate.client, cast, chronicle, random, name: 'p', isOver: () => over });
  await delay(lifeMs);
  // On a busy machine there may be no answer yet. Then nothing could be lost, so this waits.
  while (chronicle.answered < FEWEST_ANSWERS && chronicle.surprises.length === 0) await delay(20);
  await gate.kill();
  over = true;
  await told;
  assertNoFindings(chronicle.surprises, 'under the shim');
  return { cast, chronicle, journal: recorder.finish(), dataDir };
}

async function makeCastUnder(env: NodeJS.ProcessEnv, dataDir: string): Promise<Cast> {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../gate/make-cast.ts'), dataDir], {
    env: cleanEnvironment(env),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return JSON.parse(said) as Cast;
}
