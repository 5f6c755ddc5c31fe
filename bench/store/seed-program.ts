/** `node bench/store/seed-program.ts DIRECTORY COUNT`: creates a store with this many intents, and its manifest. */
import { openGate } from '@permitry/server';
import { BASE_URL } from '../workload.ts';
import { liveThrough } from './history.ts';
import { layOut } from './lay-out.ts';
import { dataOf, writeManifest } from './manifest.ts';

const [directory = '', countText = '0'] = process.argv.slice(2);
const count = Number(countText);

/** The age of the first intent. Pending intents last thirty days, so the oldest expire in ten days. */
const PAST_MS = 20 * 24 * 3600 * 1000;
/** The interval of automatic sealing. It never passes, so only the program seals. */
const NEVER_MS = 2 ** 31 - 1;

const end = Date.now();
const past = count === 0 ? 0 : PAST_MS;
let now = end - past;

const opened = await openGate({
  database: { directory: dataOf(directory) },
  issuer: BASE_URL,
  clock: { now: () => new Date(now).toISOString() },
  sealDelayMs: NEVER_MS,
  onError: (error) => {
    throw error;
  },
});
const layout = await layOut(opened.gate);
const started = performance.now();
const life = await liveThrough(opened, layout, {
  count,
  moveClock: (share) => {
    now = end - past * (1 - share);
  },
  onProgress: (done) => {
    const seconds = (performance.now() - started) / 1000;
    process.stderr.write(`seeding: ${done} of ${count} intents, ${Math.round(seconds)} s\r`);
  },
});
await opened.close();
writeManifest(directory, { seededAt: new Date(end).toISOString(), ...layout, ...life });
process.exit(0);
