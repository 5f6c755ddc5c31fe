/** A process profiles its own main thread, for as long as is measured: how it started and warmed up is not in it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';

const session = new Session();

export async function startProfile(): Promise<void> {
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.start');
}

/** Ends it. `bench/hot-spots.ts` reads the file. */
export async function writeProfile(directory: string): Promise<void> {
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  // The first sample is the start of the profiler, which takes a fifth of a second and more.
  profile.samples?.shift();
  profile.startTime += profile.timeDeltas?.shift() ?? 0;
  mkdirSync(directory, { recursive: true });
  const name = `${new Date().toISOString().replaceAll(':', '')}-${process.pid}.cpuprofile`;
  writeFileSync(join(directory, name), JSON.stringify(profile));
}
