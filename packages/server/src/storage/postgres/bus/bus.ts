/** Gates on one PostgreSQL notify each other by LISTEN and NOTIFY, on a separate connection. */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import type { Topic } from '../../../gate/kernel/bus.ts';
import type { OpenBus } from '../../storage.ts';
import { isBusId, readMessage, writeMessages } from './bus-messages.ts';

export interface BusOptions {
  /** Connects to the server that takes writes, because a standby receives no notifications. */
  connect: () => Promise<Client>;
  /** Called once for every outage. The bus keeps trying. */
  onError: (error: unknown) => void;
  /** How long messages are collected. */
  gatherMs?: number;
  /** Interval between two checks that the server answers, and the time limit of each. */
  checkEveryMs?: number;
  answerWithinMs?: number;
}

const CHANNEL = 'permitry';
const GATHER_MS = 2;
const CHECK_EVERY_MS = 5000;
const ANSWER_WITHIN_MS = 3000;
const SHORTEST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 3000;
/** How long a closing bus waits to send its last messages. */
const PATIENCE_MS = 1000;
/** Ids kept while there is no connection. Other gates find the dropped ones by polling. */
const MOST_KEPT = 10_000;

/**
 * Ids accepted per second, far more than gates send: anyone who may connect to the database can send any number of
 * messages. Gates find ignored ids by polling, as they find lost ones.
 */
const MOST_HEARD: Readonly<Record<Topic, number>> = { resolved: 50_000, sealed: 1000, keys: 20 };

/**
 * NOTIFY as a part of a change would be sent by the commit itself. But its commit takes a lock that a whole database
 * cluster shares, so all changes would queue. Here a message is sent after the commit of its change, many in one
 * transaction. It is lost if the gate dies in between, so waiting gates also poll.
 */
export class PostgresBus implements OpenBus {
  readonly shared = true;
  /** The name by which a gate recognises its own messages. */
  readonly #name = randomBytes(10).toString('hex');
  readonly #options: Required<BusOptions>;
  readonly #listeners = new Map<Topic, Set<(id: string) => void>>();
  readonly #onMissed = new Set<() => void>();
  readonly #toTell = new Map<Topic, Set<string>>();
  readonly #closing = new AbortController();
  readonly #connectedOnce = Promise.withResolvers<void>();
  readonly #running: Promise<void>;
  /** In this second. */
  readonly #heard = new Map<Topic, number>();
  #second = 0;
  #client: Client | undefined;
  #lose: (error: unknown) => void = () => {};
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;

  constructor(options: BusOptions) {
    this.#options = {
      gatherMs: GATHER_MS,
      checkEveryMs: CHECK_EVERY_MS,
      answerWithinMs: ANSWER_WITHIN_MS,
      ...options,
    };
    this.#running = this.#stayConnected();
  }

  /** Whether messages are sent and received at the moment. */
  get connected(): boolean {
    return this.#client !== undefined;
  }

  tell(topic: Topic, id: string): void {
    if (!isBusId(id)) return;
    const ids = this.#toTell.get(topic) ?? new Set();
    this.#toTell.set(topic, ids);
    if (ids.size >= MOST_KEPT) ids.clear();
    ids.add(id);
    this.#sendSoon();
  }

  hear(topic: Topic, listener: (id: string) => void): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  onMissed(listener: () => void): () => void {
    this.#onMissed.add(listener);
    return () => this.#onMissed.delete(listener);
  }

  async close(): Promise<void> {
    // A command may have ended before there was a connection to announce it on.
    const { signal } = this.#closing;
    if (this.#toTell.size > 0) {
      const patience = delay(PATIENCE_MS, undefined, { signal }).catch(() => {});
      await Promise.race([this.#connectedOnce.promise, patience]);
    }
    if (this.#client) await this.#send();
    this.#closing.abort();
    this.#lose(new Error('the bus is closed'));
    await this.#running;
  }

  async #stayConnected(): Promise<void> {
    let pauseMs = SHORTEST_PAUSE_MS;
    let notified = false;
    while (!this.#closing.signal.aborted) {
      try {
        await this.#listen(() => {
          pauseMs = SHORTEST_PAUSE_MS;
          notified = false;
        });
      } catch (error) {
        if (!notified && !this.#closing.signal.aborted) this.#options.onError(error);
        notified = true;
      }
      const { signal } = this.#closing;
      await delay(Math.random() * pauseMs, undefined, { signal }).catch(() => {});
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
  }

  /** Listens until the connection is lost, then rejects with the reason. */
  async #listen(onConnected: () => void): Promise<void> {
    const client = await this.#options.connect();
    const lost = new Promise<never>((_, reject) => {
      this.#lose = reject;
    });
    // Awaited below, but it may reject earlier.
    lost.catch(() => {});
    client.on('error', this.#lose);
    client.on('end', () => this.#lose(new Error('the server ended the connection')));
    client.on('notification', ({ payload }) => this.#receive(payload ?? ''));
    const checking = setInterval(() => void this.#check(client), this.#options.checkEveryMs).unref();
    try {
      // A message is worthless after a crash, so its commit need not wait for a disk.
      await this.#ask(client, 'set synchronous_commit = off');
      await this.#ask(client, `listen ${CHANNEL}`);
      if (this.#closing.signal.aborted) return;
      this.#client = client;
      this.#connectedOnce.resolve();
      onConnected();
      for (const listener of [...this.#onMissed]) this.#call(listener);
      this.#sendSoon();
      await lost;
    } finally {
      this.#client = undefined;
      clearInterval(checking);
      endNow(client);
    }
  }

  #receive(payload: string): void {
    const message = readMessage(payload);
    if (!message || message.sender === this.#name) return;
    const ids = message.ids.slice(0, this.#roomFor(message.topic, message.ids.length));
    for (const listener of [...(this.#listeners.get(message.topic) ?? [])]) {
      for (const id of ids) this.#call(() => listener(id));
    }
  }

  #roomFor(topic: Topic, count: number): number {
    const second = Math.floor(performance.now() / 1000);
    if (second !== this.#second) this.#heard.clear();
    this.#second = second;
    const heard = this.#heard.get(topic) ?? 0;
    this.#heard.set(topic, heard + count);
    return Math.max(0, MOST_HEARD[topic] - heard);
  }

  #call(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      this.#options.onError(error);
    }
  }

  #sendSoon(): void {
    if (this.#timer || this.#sending || !this.#client) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#send();
    }, this.#options.gatherMs);
  }

  /** Only one statement runs at a time. Ids that arrive meanwhile go with the next. */
  async #send(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#sending;
    const client = this.#client;
    const payloads = [...this.#toTell].flatMap(([topic, ids]) => writeMessages(this.#name, topic, ids));
    if (!client || payloads.length === 0) return;
    this.#toTell.clear();
    this.#sending = this.#ask(client, NOTIFY, [payloads]).then(
      () => {},
      (error) => this.#lose(error),
    );
    await this.#sending;
    this.#sending = undefined;
    if (this.#toTell.size > 0) this.#sendSoon();
  }

  async #check(client: Client): Promise<void> {
    try {
      const { rows } = await this.#ask(client, 'select pg_is_in_recovery() as standby');
      if (rows[0]?.standby) this.#lose(new Error('this server no longer accepts writes'));
    } catch (error) {
      this.#lose(error);
    }
  }

  /** Without an answer in time the connection counts as lost, because the server may be gone without a word. */
  async #ask(
    client: Client,
    text: string,
    values: unknown[] = [],
  ): Promise<{ rows: { standby?: unknown }[] }> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => reject(new Error(`no answer within ${this.#options.answerWithinMs} ms`)),
      this.#options.answerWithinMs,
    );
    try {
      return await Promise.race([client.query({ text, values }), late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

const NOTIFY = `select pg_notify('${CHANNEL}', payload) from unnest(cast($1 as text[])) as payload`;

/** In any state, and without waiting for a server that is gone. */
function endNow(client: Client): void {
  client.on('error', () => {});
  const { stream } = client.connection as unknown as { stream: { destroy(): void } };
  const patience = setTimeout(() => stream.destroy(), 1000);
  client.end().then(
    () => clearTimeout(patience),
    () => clearTimeout(patience),
  );
}
