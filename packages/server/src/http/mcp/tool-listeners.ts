/**
 * Owns those who want to hear that a project's tools changed: how many there may be, whether they still may, and their end. A
 * reader of the log, one for each project however many listen, so that what any gate writes is heard at all of them.
 */
import type { EventType } from '@permitry/protocol';
import type { Caller } from '../../gate/access/caller.ts';
import { SealedTails } from '../../gate/audit/sealed-tails.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import { complainingOnce, repeatedly } from '../../gate/kernel/repeatedly.ts';
import { OpenSlots, type Slot } from '../../gate/limits/open-slots.ts';
import { getProgram } from '../../gate/tools/program.ts';
import type { GateParts } from '../../open-gate.ts';

export interface ToolListener {
  caller: Caller;
  /** Rejects when the credential is no good any more. */
  recheck(): Promise<unknown>;
  /** Now and then, while nothing happens. */
  onQuiet(): void;
  onChange(): void;
  /** Nothing more is told. */
  onEnd(): void;
}

/** Whatever changes what agents are shown of tools. That one was found shows them nothing: somebody approves it first. */
const CHANGES: ReadonlySet<EventType> = new Set<EventType>([
  'upstream.tools_approved',
  'upstream.tools_withdrawn',
  'upstream.tools_changed',
  'upstream.updated',
  'upstream.removed',
]);

const PER_CREDENTIAL = 50;
const PER_PROJECT = 500;
const IN_ALL = 2000;
/** Between two looks at the credentials. */
const CHECK_MS = 15_000;
/** Between two looks at logs that other gates may have sealed: what the bus says only hastens. */
const POLL_MS = 1000;
/** What changes within this is told of once: everybody who hears it lists the tools. */
const TOGETHER_MS = 500;
/** Looked up together; a database that answers several at once does. */
const CHECKED_AT_ONCE = 50;
const LONG_MS = 60_000;

interface Watch {
  listeners: Set<ToolListener>;
  over: AbortController;
  /** Reads from the log's end on. */
  begun: Promise<void>;
}

export class ToolListeners {
  readonly #tails: SealedTails;
  readonly #onError: (error: unknown) => void;
  readonly #slots = new OpenSlots(IN_ALL);
  readonly #watches = new Map<string, Watch>();
  readonly #stops: readonly (() => Promise<void>)[];
  #closed = false;

  constructor(gate: Pick<GateParts, 'storage' | 'ledger'>, onError: (error: unknown) => void) {
    this.#onError = onError;
    this.#tails = new SealedTails(gate, onError);
    this.#stops = [
      repeatedly(
        POLL_MS,
        complainingOnce(() => this.#tails.poll(), onError),
        onError,
      ),
      repeatedly(CHECK_MS, () => this.#checkAll(), onError),
    ];
  }

  /** How many there are. */
  get count(): number {
    return this.#slots.taken;
  }

  /**
   * Hears of every change that is sealed from its answer on.
   *
   * @throws GateError `forbidden` for who is shown no tools
   * @returns how to leave; undefined where one more would be too many, or the gate stops
   */
  async join(listener: ToolListener): Promise<(() => void) | undefined> {
    const { credentialId, projectId } = getProgram(listener.caller);
    const slots: readonly Slot[] = [
      { name: `credential ${credentialId}`, whose: 'A credential', most: PER_CREDENTIAL },
      { name: `project ${projectId}`, whose: 'A project', most: PER_PROJECT },
    ];
    if (this.#closed || this.#slots.take(slots) !== undefined) return undefined;
    const watch = this.#watches.get(projectId) ?? this.#watch(projectId);
    watch.listeners.add(listener);
    let left = false;
    const leave = () => {
      if (left) return;
      left = true;
      this.#slots.giveBack(slots);
      this.#forget(projectId, watch, listener);
    };
    try {
      await watch.begun;
    } catch (error) {
      leave();
      throw error;
    }
    return leave;
  }

  /** Ends them all so that they go elsewhere; whoever comes later is refused. */
  close(): void {
    this.#closed = true;
    this.#tails.close();
    for (const stop of this.#stops) void stop();
    for (const watch of [...this.#watches.values()]) endAll(watch.listeners);
  }

  #watch(projectId: string): Watch {
    const begun = Promise.withResolvers<void>();
    // Whoever joins waits for it; nobody else has to.
    begun.promise.catch(() => undefined);
    const watch: Watch = { listeners: new Set(), over: new AbortController(), begun: begun.promise };
    this.#watches.set(projectId, watch);
    this.#follow(projectId, watch, begun.resolve).catch((error) => {
      begun.reject(error);
      // Who comes meanwhile follows anew.
      if (this.#watches.get(projectId) === watch) this.#watches.delete(projectId);
      // Fails closed: they come back, and list the tools anew.
      if (!this.#closed) this.#onError(error);
      endAll(watch.listeners);
    });
    return watch;
  }

  #forget(projectId: string, watch: Watch, listener: ToolListener): void {
    watch.listeners.delete(listener);
    if (watch.listeners.size > 0) return;
    watch.over.abort();
    if (this.#watches.get(projectId) === watch) this.#watches.delete(projectId);
  }

  async #follow(projectId: string, watch: Watch, begin: () => void): Promise<void> {
    const { signal } = watch.over;
    let position = await this.#tails.headOf(projectId);
    const unfollow = this.#tails.follow(projectId, position);
    try {
      begin();
      while (!signal.aborted) {
        await this.#tails.untilMore(projectId, position, LONG_MS, signal);
        const { events, through } = await this.#tails.readAfter(projectId, position, CHANGES);
        position = through;
        if (events.length === 0) continue;
        await this.#tell(watch);
        await pause(TOGETHER_MS, signal);
      }
    } finally {
      unfollow();
    }
  }

  async #tell({ listeners }: Watch): Promise<void> {
    for (const listener of await this.#stillGood([...listeners])) {
      if (listeners.has(listener)) listener.onChange();
    }
  }

  async #checkAll(): Promise<void> {
    const all = [...this.#watches.values()].flatMap(({ listeners }) => [...listeners]);
    for (const listener of await this.#stillGood(all)) listener.onQuiet();
  }

  /** Those whose credentials are; the others are ended. */
  async #stillGood(listeners: readonly ToolListener[]): Promise<readonly ToolListener[]> {
    const byCredential = Map.groupBy(listeners, ({ caller }) => caller.credentialId);
    const all = [...byCredential.values()];
    const good: ToolListener[] = [];
    for (let first = 0; first < all.length; first += CHECKED_AT_ONCE) {
      await Promise.all(
        all.slice(first, first + CHECKED_AT_ONCE).map(async (same) => {
          if (await this.#isGood(same[0])) good.push(...same);
          else endAll(same);
        }),
      );
    }
    return good;
  }

  async #isGood(listener: ToolListener | undefined): Promise<boolean> {
    try {
      await listener?.recheck();
      return true;
    } catch (error) {
      const isRefused = error instanceof GateError && error.code !== 'service_unavailable';
      if (!isRefused && !this.#closed) this.#onError(error);
      return false;
    }
  }
}

function endAll(listeners: Iterable<ToolListener>): void {
  for (const listener of [...listeners]) listener.onEnd();
}

/** Resolves sooner when the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms).unref();
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
  });
}
