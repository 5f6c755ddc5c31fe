/**
 * How many messages a channel sends concurrently, in total and to each target. A target that hangs or fails uses few
 * slots. A project with many webhooks cannot use all slots, so others get some. A target that answers without delay
 * gets more slots.
 */
export interface SlotFigures {
  /** To all targets. */
  most: number;
  /** To the targets of one project. */
  mostOfProject: number;
  /** To all targets that failed lately. Each of them gets one slot. */
  mostFailing: number;
  /** To one target at first. The next limit is for one target that keeps up. */
  firstOfOne: number;
  mostOfOne: number;
}

/** Sends each target one message at a time. */
export function lanes(most: number): SlotFigures {
  return { most, mostOfProject: most, mostFailing: most, firstOfOne: 1, mostOfOne: 1 };
}

export interface SlotTarget {
  id: string;
  /** Null: the target uses no project's share. */
  projectId: string | null;
  /** Failures in a row. */
  failures: number;
}

/** An answer that takes longer means that the target has enough to do. */
const KEEPS_UP_MS = 1000;

interface Endpoint {
  projectId: string | null;
  taken: number;
  width: number;
  isFailing: boolean;
}

export class SendSlots {
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #figures: SlotFigures;

  constructor(figures: SlotFigures) {
    this.#figures = figures;
  }

  /** Number of free slots. */
  get free(): number {
    return [...this.#endpoints.values()].reduce((free, { taken }) => free - taken, this.#figures.most);
  }

  /** Takes as many slots as are free, perhaps none. The caller must give each slot back. */
  take({ id, projectId, failures }: SlotTarget): number {
    const { mostOfProject, mostFailing, firstOfOne } = this.#figures;
    const isFailing = failures > 0;
    const endpoint = this.#endpoints.get(id) ?? { projectId, taken: 0, width: firstOfOne, isFailing };
    let [ofProject, failing] = [0, 0];
    for (const other of this.#endpoints.values()) {
      if (other.projectId === projectId) ofProject += other.taken;
      if (other.isFailing && other !== endpoint) failing += 1;
    }
    const own = isFailing ? Math.min(1, mostFailing - failing) : endpoint.width;
    const room = Math.max(0, Math.min(own - endpoint.taken, mostOfProject - ofProject, this.free));
    if (room === 0) return 0;
    this.#endpoints.set(id, { ...endpoint, isFailing, taken: endpoint.taken + room });
    return room;
  }

  give(id: string, count = 1): void {
    const endpoint = this.#endpoints.get(id);
    if (!endpoint) return;
    endpoint.taken -= count;
    // A target with no message being sent is removed, and starts over next time.
    if (endpoint.taken <= 0) this.#endpoints.delete(id);
  }

  /**
   * Learns from an attempt: a delivery without delay adds one slot for the target. Any other outcome halves the
   * target's slots.
   */
  learn(id: string, { delivered, durationMs }: { delivered: boolean; durationMs: number }): void {
    const endpoint = this.#endpoints.get(id);
    if (!endpoint) return;
    const { width } = endpoint;
    const { firstOfOne, mostOfOne } = this.#figures;
    endpoint.width =
      delivered && durationMs < KEEPS_UP_MS
        ? Math.min(width + 1, mostOfOne)
        : Math.max(firstOfOne, Math.floor(width / 2));
  }

  /**
   * Targets that use the fewest slots come first. So a target that is always ready for more does not displace another
   * forever.
   */
  rotated<W extends { id: string }>(webhooks: readonly W[]): W[] {
    const taken = ({ id }: W) => this.#endpoints.get(id)?.taken ?? 0;
    return webhooks.toSorted((a, b) => taken(a) - taken(b));
  }
}
