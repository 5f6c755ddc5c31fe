import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8';

/** Bytes. After a collection under concurrent requests, including pages of lists, less than half of this is in use. */
const YOUNG_ENOUGH = 64 * 1024 * 1024;
/** A factor that lets the young space grow back in a step or two. */
const GROWTH = 16;
const LOOK_EVERY_MS = 50;

const LEAST_GROWTH_PERCENT = 30;
const MOST_GROWTH_PERCENT = 150;
const SAMPLE_EVERY_MS = 250;
const SAMPLES = 8;

/**
 * Keeps V8 from taking memory for garbage. By default V8 lets the space for young objects grow to 128 MB and the heap
 * to four times its live size. Under load a gate would consist mostly of garbage.
 *
 * If these bounds were options of the process, everyone who starts a gate would have to know them. Both can be changed
 * in a running process. So the young space may grow until it is large enough, and again after V8 has shrunk it while
 * the gate was idle.
 *
 * @param roomBytes Size to which the heap may grow before it is kept tight. Requests that wait for a database on the
 * network outlive the young space. With a tight heap, V8 would then collect all of it many times a second, tens of
 * milliseconds each time.
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

/** Between two collections the heap also holds garbage, so the minimum of the last two seconds is the live size. */
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
