/** A process profiles its own main thread during the measurement, and not during its start and warm-up. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';

const session = new Session();

export async function startProfile(): Promise<void> {
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.start');
}

/** Ends the profile. `bench/hot-spots.ts` reads the file. */
export async function writeProfile(directory: string): Promise<void> {
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  // The first sample is the start of the profiler, which takes a fifth of a second or more.
  profile.samples?.shift();
  profile.startTime += profile.timeDeltas?.shift() ?? 0;
  mkdirSync(directory, { recursive: true });
  const name = `${new Date().toISOString().replaceAll(':', '')}-${process.pid}.cpuprofile`;
  writeFileSync(join(directory, name), JSON.stringify(profile));
}
