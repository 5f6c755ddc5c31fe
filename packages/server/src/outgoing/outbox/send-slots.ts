/**
 * How much a channel sends at once, to all and to each: whoever hangs or fails holds few places, and whoever has many webhooks
 * not all, so that there is room for all others. Who takes what comes without delay is sent more at a time.
 */
export interface SlotFigures {
  /** To all. */
  most: number;
  /** To those of one project. */
  mostOfProject: number;
  /** To those that failed lately, of which each has one. */
  mostFailing: number;
  /** To one: at first, and at most, once it has shown that it keeps up. */
  firstOfOne: number;
  mostOfOne: number;
}

/** Each is sent one message at a time. */
export function lanes(most: number): SlotFigures {
  return { most, mostOfProject: most, mostFailing: most, firstOfOne: 1, mostOfOne: 1 };
}

export interface SlotTarget {
  id: string;
  /** Null: it is nobody's share that it takes. */
  projectId: string | null;
  /** In a row. */
  failures: number;
}

/** An answer that took longer says that there is enough at once. */
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

  /** Places that nobody holds. */
  get free(): number {
    return [...this.#endpoints.values()].reduce((free, { taken }) => free - taken, this.#figures.most);
  }

  /** Takes as many as there is room for, none where there is none; each is to be given back. */
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
    // Whoever is sent nothing is as good as unknown when there is something again.
    if (endpoint.taken <= 0) this.#endpoints.delete(id);
  }

  /** How an attempt went: with each that is taken without delay there is room for one more, half as many otherwise. */
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

  /** Those that are sent least come first: nobody is passed over for ever by somebody who is always ready for more. */
  rotated<W extends { id: string }>(webhooks: readonly W[]): W[] {
    const taken = ({ id }: W) => this.#endpoints.get(id)?.taken ?? 0;
    return webhooks.toSorted((a, b) => taken(a) - taken(b));
  }
}
