import type { Actor } from '../access/caller.ts';
import { millisecondsBetween } from '../kernel/instant.ts';
import type { AfterCommit } from '../kernel/storage.ts';
import type { Intent } from './intent.ts';

/** How one intent was decided, for metrics. */
export interface ResolutionNote {
  status: 'approved' | 'denied';
  /** Who decided the intent: a person, a program, the policy, or the requester itself. */
  by: Actor['type'];
  /** Seconds from the intent's creation to its decision. */
  seconds: number;
}

/** Reports, after the commit, how intents were decided. Stores nothing, decides nothing. */
export class Resolutions {
  readonly #listeners = new Set<(note: ResolutionNote) => void>();

  /** The listener must not throw or wait. Returns a function that stops the calls. */
  listen(listener: (note: ResolutionNote) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** `intent`: its state after the transaction. Call it in the transaction. */
  notifyAfter(tx: AfterCommit, intent: Intent, by: Actor): void {
    const { status, createdAt, resolvedAt } = intent;
    if ((status !== 'approved' && status !== 'denied') || resolvedAt === null) return;
    const seconds = millisecondsBetween(createdAt, resolvedAt) / 1000;
    tx.afterCommit(() => {
      for (const listener of this.#listeners) listener({ status, by: by.type, seconds });
    });
  }
}
