/** Remembers which credentials were used, and writes it down every few seconds: a request must not wait for that. */
import type { Caller } from '../gate/access/caller.ts';
import type { Gate } from '../gate/gate.ts';
import { repeatedly } from '../gate/repeatedly.ts';

const EVERY_MS = 5000;

export class LastUsed {
  readonly #gate: Gate;
  readonly #onError: (error: unknown) => void;
  readonly #stop: () => Promise<void>;
  #keys = new Set<string>();
  #agents = new Set<string>();
  #sessions = new Set<string>();

  constructor(gate: Gate, onError: (error: unknown) => void) {
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

  /** One transaction for all. A failure is reported and forgotten: the next use tells the same. */
  async flush(): Promise<void> {
    if (this.#keys.size === 0 && this.#sessions.size === 0) return;
    const at = this.#gate.clock.now();
    const [keys, agents, sessions] = [[...this.#keys], [...this.#agents], [...this.#sessions]];
    this.#keys = new Set();
    this.#agents = new Set();
    this.#sessions = new Set();
    try {
      await this.#gate.storage.transaction(async (tx) => {
        await tx.touchKeys(keys, at);
        if (sessions.length > 0) await tx.touchSessions(sessions, at);
        if (agents.length > 0) await tx.touchAgents(agents, at);
      });
    } catch (error) {
      this.#onError(error);
    }
  }

  /** Before the storage is closed. */
  async close(): Promise<void> {
    await this.#stop();
    await this.flush();
  }
}
