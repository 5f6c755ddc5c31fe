import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8';

/** Bytes; what requests that run together leave behind, pages of lists too, fits into half of it. */
const YOUNG_ENOUGH = 64 * 1024 * 1024;
/** Enough to grow back in a step or two. */
const GROWTH = 16;
const LOOK_EVERY_MS = 50;

const LEAST_GROWTH_PERCENT = 30;
const MOST_GROWTH_PERCENT = 150;
const SAMPLE_EVERY_MS = 250;
const SAMPLES = 8;

/**
 * Keeps V8 from taking memory for garbage: left to itself it lets the space for young objects grow to 128 MB, and the
 * heap to four times what lives in it, which under load is what a gate would mostly consist of.
 *
 * As options of the process these bounds would have to be known to whoever starts one. Both of these may be changed in
 * a running process. So the young space is let grow until it is large enough, and again when V8 has made it small while
 * the gate was idle.
 *
 * @param roomBytes What the heap may grow to before it is kept tight. Where requests wait for a database on the network
 * they outlive the young space, and a tight heap is collected whole many times a second, tens of milliseconds each.
 */
export function boundHeap({ roomBytes = 0 }: { roomBytes?: number } = {}): void {
  setFlagsFromString(`--heap-growing-percent=${LEAST_GROWTH_PERCENT}`);
  setInterval(() => {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
    const isEnough = young !== undefined && young.space_size >= YOUNG_ENOUGH;
    setFlagsFromString(`--semi-space-growth-factor=${isEnough ? 1 : GROWTH}`);
  }, LOOK_EVERY_MS).unref();
  if (roomBytes > 0) growWithin(roomBytes);
}

/** Between two collections the heap holds garbage as well: the least of the last two seconds is what lives. */
function growWithin(roomBytes: number): void {
  const used: number[] = [];
  setInterval(() => {
    used.push(getHeapStatistics().used_heap_size);
    if (used.length > SAMPLES) used.shift();
    const percent = Math.round((roomBytes / Math.min(...used) - 1) * 100);
    const bounded = Math.min(Math.max(percent, LEAST_GROWTH_PERCENT), MOST_GROWTH_PERCENT);
    setFlagsFromString(`--heap-growing-percent=${bounded}`);
  }, SAMPLE_EVERY_MS).unref();
}
