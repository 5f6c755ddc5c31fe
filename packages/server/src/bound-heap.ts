import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Bytes; what requests of a few milliseconds leave behind fits into it many times over. */
const YOUNG_ENOUGH = 32 * 1024 * 1024;
const LOOK_EVERY_MS = 50;

/**
 * Keeps V8 from taking memory for garbage: left to itself it lets the space for young objects grow to 128 MB, and the
 * heap to four times what lives in it, which under load is what a gate would mostly consist of.
 *
 * As options of the process these bounds would have to be known to whoever starts one. Both of these may be changed in
 * a running process; so the young space is let grow until it is large enough, and then no further.
 */
export function boundHeap(): void {
  setFlagsFromString('--heap-growing-percent=30');
  const looking = setInterval(() => {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
    if (young !== undefined && young.space_size < YOUNG_ENOUGH) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    clearInterval(looking);
  }, LOOK_EVERY_MS);
  looking.unref();
}
