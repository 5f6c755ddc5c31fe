/**
 * How much is sent at once, to all and to each: whoever hangs or fails holds few places, and whoever has many webhooks
 * not all, so that there is room for all others. Who takes what comes without delay is sent more at a time.
 */
import type { Webhook } from '../../gate/webhooks/webhook.ts';

/** To all. Those of one project hold a quarter at most, and those that failed lately, of which each has one, a half. */
const MOST = 512;
const MOST_OF_PROJECT = MOST / 4;
const MOST_FAILING = MOST / 2;
/** To one: at first, and at most, once it has shown that it keeps up. */
const FIRST_OF_ONE = 8;
const MOST_OF_ONE = 64;
/** An answer that took longer says that there is enough at once. */
const KEEPS_UP_MS = 1000;

interface Endpoint {
  projectId: string;
  taken: number;
  width: number;
  isFailing: boolean;
}

export class SendSlots {
  readonly #endpoints = new Map<string, Endpoint>();

  /** Takes as many as there is room for, none where there is none; each is to be given back. */
  take({ id, projectId, failures }: Pick<Webhook, 'id' | 'projectId' | 'failures'>): number {
    const isFailing = failures > 0;
    const endpoint = this.#endpoints.get(id) ?? { projectId, taken: 0, width: FIRST_OF_ONE, isFailing };
    let [all, ofProject, failing] = [0, 0, 0];
    for (const other of this.#endpoints.values()) {
      all += other.taken;
      if (other.projectId === projectId) ofProject += other.taken;
      if (other.isFailing && other !== endpoint) failing += 1;
    }
    const own = isFailing ? Math.min(1, MOST_FAILING - failing) : endpoint.width;
    const room = Math.max(0, Math.min(own - endpoint.taken, MOST_OF_PROJECT - ofProject, MOST - all));
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
    endpoint.width =
      delivered && durationMs < KEEPS_UP_MS
        ? Math.min(width + 1, MOST_OF_ONE)
        : Math.max(FIRST_OF_ONE, Math.floor(width / 2));
  }

  /** Those that are sent least come first: nobody is passed over for ever by somebody who is always ready for more. */
  rotated<W extends { id: string }>(webhooks: readonly W[]): W[] {
    const taken = ({ id }: W) => this.#endpoints.get(id)?.taken ?? 0;
    return webhooks.toSorted((a, b) => taken(a) - taken(b));
  }
}
