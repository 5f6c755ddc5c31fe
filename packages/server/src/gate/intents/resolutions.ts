import type { Actor } from '../access/caller.ts';
import { millisecondsBetween } from '../kernel/instant.ts';
import type { AfterCommit } from '../kernel/storage.ts';
import type { Intent } from './intent.ts';

/** How one intent was decided, for metrics. */
export interface ResolutionNote {
  status: 'approved' | 'denied';
  /** Kind of who did it: a person, a program, policy, the requester itself. */
  by: Actor['type'];
  /** From its creation. */
  seconds: number;
}

/** Tells, after the commit, how intents were decided. Holds nothing, decides nothing. */
export class Resolutions {
  readonly #listeners = new Set<(note: ResolutionNote) => void>();

  /** The listener must not throw or wait. Answers how to stop. */
  listen(listener: (note: ResolutionNote) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** `intent` as the transaction leaves it. */
  notifyAfter(tx: AfterCommit, intent: Intent, by: Actor): void {
    const { status, createdAt, resolvedAt } = intent;
    if ((status !== 'approved' && status !== 'denied') || resolvedAt === null) return;
    const seconds = millisecondsBetween(createdAt, resolvedAt) / 1000;
    tx.afterCommit(() => {
      for (const listener of this.#listeners) listener({ status, by: by.type, seconds });
    });
  }
}
