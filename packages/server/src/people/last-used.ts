/**
 * Remembers which credentials were used and stores their last use every few seconds, so that no request waits for the
 * write.
 */

import type { Caller } from '../gate/access/caller.ts';
import type { CredentialWriter } from '../gate/access/credential.ts';
import type { SessionWriter } from '../gate/access/session.ts';
import type { AgentWriter } from '../gate/agents/agent.ts';
import { repeatedly } from '../gate/kernel/repeatedly.ts';
import type { PeopleDeps } from './people-deps.ts';

const EVERY_MS = 5000;
const AT_ONCE = 100;

export class LastUsed {
  readonly #gate: Pick<PeopleDeps, 'clock' | 'storage'>;
  readonly #onError: (error: unknown) => void;
  readonly #stop: () => Promise<void>;
  #keys = new Set<string>();
  #agents = new Set<string>();
  #sessions = new Set<string>();

  constructor(gate: Pick<PeopleDeps, 'clock' | 'storage'>, onError: (error: unknown) => void) {
    this.#gate = gate;
    this.#onError = onError;
    this.#stop = repeatedly(EVERY_MS, () => this.flush(), onError);
  }

  note(caller: Caller): void {
    if (caller.kind === 'operator') return;
    if (caller.kind === 'session') {
      this.#sessions.add(caller.credentialId);
      return;
    }
    this.#keys.add(caller.credentialId);
    if (caller.kind === 'agent') this.#agents.add(caller.agent.id);
  }

  /** A failed write is reported and not retried: the next use writes the same field. */
  async flush(): Promise<void> {
    const at = this.#gate.clock.now();
    const [keys, agents, sessions] = [this.#keys, this.#agents, this.#sessions];
    this.#keys = new Set();
    this.#agents = new Set();
    this.#sessions = new Set();
    await this.#touch(keys, (tx, ids) => tx.touchKeys(ids, at));
    await this.#touch(agents, (tx, ids) => tx.touchAgents(ids, at));
    await this.#touch(sessions, (tx, ids) => tx.touchSessions(ids, at));
  }

  /**
   * Writes small batches, because other gates write the same credentials and must not wait long. Sorts the IDs, so that
   * two gates cannot deadlock.
   */
  async #touch(
    used: ReadonlySet<string>,
    touch: (tx: AgentWriter & CredentialWriter & SessionWriter, ids: readonly string[]) => Promise<void>,
  ): Promise<void> {
    const ids = [...used].sort();
    for (let from = 0; from < ids.length; from += AT_ONCE) {
      try {
        await this.#gate.storage.transaction((tx) => touch(tx, ids.slice(from, from + AT_ONCE)));
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  /** Call before the storage is closed. */
  async close(): Promise<void> {
    await this.#stop();
    await this.flush();
  }
}
