import type { Bus } from '../kernel/bus.ts';
import type { Clock } from '../kernel/clock.ts';
import { complainingOnce, repeatedly } from '../kernel/repeatedly.ts';
import type { Storage } from '../kernel/storage.ts';
import type { HeardGate, Heartbeat, HeartbeatReader, HeartbeatWriter } from './heartbeat.ts';
import { DEAD_AFTER_SECONDS } from './serving-gates.ts';

export interface HeartbeatsOptions {
  gateId: string;
  version: string;
  onError: (error: unknown) => void;
  /** Milliseconds from one heartbeat to the next. */
  everyMs?: number;
  /** A gate that was silent for this long counts as dead. */
  deadAfterSeconds?: number;
}

const EVERY_MS = 3000;
/** After this long, another gate cleans up after a dead one. */
const FORGOTTEN_AFTER_SECONDS = 600;
const POLL_EVERY_MS = 250;

/** Dependencies of heartbeats. */
export interface HeartbeatDeps {
  storage: Storage<HeartbeatReader, HeartbeatWriter>;
  clock: Clock;
  bus: Bus;
  issuer: string;
}

/**
 * Makes this gate known to the other gates on its database, and reads theirs. All of them must serve under one
 * base_url. It is the issuer of what a gate signs, and no gate trusts another issuer.
 */
export class Heartbeats {
  readonly #gate: HeartbeatDeps;
  readonly #own: Heartbeat;
  readonly #onError: HeartbeatsOptions['onError'];
  readonly #everyMs: number;
  readonly #deadAfterSeconds: number;
  #stopBeating: (() => Promise<void>) | undefined;
  #living = 1;
  /** Base URLs of other gates that were already reported. */
  #strange = '';

  constructor(gate: HeartbeatDeps, options: HeartbeatsOptions) {
    const { gateId, version } = options;
    this.#gate = gate;
    this.#own = { gateId, version, baseUrl: gate.issuer, startedAt: gate.clock.now() };
    this.#onError = options.onError;
    this.#everyMs = options.everyMs ?? EVERY_MS;
    this.#deadAfterSeconds = options.deadAfterSeconds ?? DEAD_AFTER_SECONDS;
  }

  /** The number of gates that served the database at the last heartbeat, including this one. */
  get living(): number {
    return this.#living;
  }

  /**
   * Starts the heartbeats. If a gate under another base_url may be dead, first waits until that is certain.
   *
   * @throws Error when such a gate is alive
   */
  async start(): Promise<void> {
    if (!this.#gate.bus.shared) return;
    let before: readonly HeardGate[] = [];
    for (;;) {
      const strangers = await this.#join();
      if (strangers.length === 0) break;
      const alive = strangers.find(({ gateId, silentSeconds }) =>
        before.some((then) => then.gateId === gateId && then.silentSeconds > silentSeconds),
      );
      if (alive) throw this.#refusal(alive);
      before = strangers;
      await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS));
    }
    this.#stopBeating = repeatedly(
      this.#everyMs,
      complainingOnce(() => this.#beat(), this.#onError),
      this.#onError,
    );
  }

  /** Removes this gate from the list, so that others need not wait until they notice its silence. */
  async stop(): Promise<void> {
    if (!this.#stopBeating) return;
    await this.#stopBeating();
    this.#stopBeating = undefined;
    try {
      await this.#gate.storage.transaction((tx) => tx.deleteHeartbeat(this.#own.gateId), { guarded: true });
    } catch (error) {
      this.#onError(error);
    }
  }

  /**
   * Joins the gates that serve the database, unless some of them have another base_url. Returns the gates with another
   * base_url.
   */
  #join(): Promise<readonly HeardGate[]> {
    const now = this.#gate.clock.now();
    // Runs as if alone (not `guarded`). So of two gates that start at the same time under two base_urls, one finds the
    // other.
    return this.#gate.storage.transaction(async (tx) => {
      const known = await tx.listHeartbeats(now);
      const strangers = known.filter((heard) => this.#isStrange(heard));
      if (strangers.length === 0) await tx.saveHeartbeat(this.#own, now);
      return strangers;
    });
  }

  async #beat(): Promise<void> {
    const now = this.#gate.clock.now();
    const { gateId } = this.#own;
    const known = await this.#gate.storage.transaction(
      async (tx) => {
        await tx.saveHeartbeat(this.#own, now);
        const all = await tx.listHeartbeats(now);
        const forgotten = all.filter(({ silentSeconds }) => silentSeconds > FORGOTTEN_AFTER_SECONDS);
        for (const dead of forgotten) await tx.deleteHeartbeat(dead.gateId);
        return all;
      },
      { guarded: true },
    );
    this.#living = 1 + known.filter((heard) => heard.gateId !== gateId && this.#isAlive(heard)).length;
    this.#complainOf(known.filter((heard) => this.#isStrange(heard)));
  }

  /** Reports gates under another base_url. One may have started while this gate was cut off or suspended. */
  #complainOf(strangers: readonly HeardGate[]): void {
    const strange = strangers.map(({ gateId }) => gateId).join();
    const [first] = strangers;
    if (first && strange !== this.#strange) this.#onError(this.#refusal(first));
    this.#strange = strange;
  }

  #isAlive({ silentSeconds }: HeardGate): boolean {
    return silentSeconds < this.#deadAfterSeconds;
  }

  #isStrange(heard: HeardGate): boolean {
    return heard.baseUrl !== this.#own.baseUrl && this.#isAlive(heard);
  }

  #refusal({ baseUrl }: HeardGate): Error {
    return new Error(
      `Another gate serves this database as ${baseUrl}, but this one is configured as ${this.#own.baseUrl}, so each would ` +
        'refuse the permits of the other. Give all gates the same PERMITRY_BASE_URL, or stop the other gate first.',
    );
  }
}
