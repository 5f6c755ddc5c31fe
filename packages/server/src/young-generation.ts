import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Bytes; what requests of a few milliseconds leave behind fits into it many times over. */
const ENOUGH = 32 * 1024 * 1024;
const LOOK_EVERY_MS = 50;

/**
 * Keeps V8's space for young objects from growing to its default of 128 MB, which under load is what a gate would
 * mostly consist of. As an option of the process (`--max-semi-space-size`) it would have to be known to whoever starts
 * one; the factor by which the space grows may be changed in a running process.
 */
export function boundYoungGeneration(): void {
  const looking = setInterval(() => {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
    if (young !== undefined && young.space_size < ENOUGH) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    clearInterval(looking);
  }, LOOK_EVERY_MS);
  looking.unref();
}
