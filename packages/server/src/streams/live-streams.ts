/**
 * Tells pages that are open what happens: a reader of sealed events, one for each project however many look on. There
 * is no second log: whoever comes back says how far it had come, and the rest is read from the one there is.
 */

import type { AccessDeps } from '../gate/access/access-deps.ts';
import { refreshSession } from '../gate/access/authenticate-session.ts';
import type { SessionCaller } from '../gate/access/caller.ts';
import type { CredentialReader } from '../gate/access/credential.ts';
import type { SessionReader } from '../gate/access/session.ts';
import { isLive } from '../gate/access/session.ts';
import type { AuditReader, SealedEvent } from '../gate/audit/audit-event.ts';
import type { EventLog } from '../gate/audit/event-log.ts';
import type { IntentReader } from '../gate/intents/intent.ts';
import { GateError } from '../gate/kernel/errors.ts';
import { repeatedly } from '../gate/kernel/repeatedly.ts';
import type { Storage } from '../gate/kernel/storage.ts';
import { yieldToEventLoop } from '../gate/kernel/yield-to-event-loop.ts';
import type { ProjectReader } from '../gate/projects/project.ts';
import { type Change, type EndReason, LiveStream } from './live-stream.ts';
import { readPosition } from './position.ts';

export interface LiveLimits {
  perSession: number;
  /** Who signs in again and again has no more for it, so that one person never takes the place of all others. */
  perPerson: number;
  inAll: number;
  heartbeatMs: number;
  /** Of one stream, not yet taken by its connection. */
  waitingBytes: number;
}

const LIMITS: LiveLimits = {
  perSession: 6,
  perPerson: 30,
  inAll: 1000,
  heartbeatMs: 15_000,
  waitingBytes: 64 * 1024,
};

/** Events told one by one; what is more at a time is told of as `many`, and the page reads everything anew. */
const MOST_NOTIFIED = 50;
const RETRY_SECONDS = 5;

/** Dependencies of the streams of open pages. */
interface LiveDeps extends AccessDeps {
  storage: Storage<AuditReader & IntentReader & CredentialReader & ProjectReader & SessionReader>;
  ledger: EventLog;
}

/** Those who look on at one project, and how far the log was read for them. */
interface Watch {
  streams: Set<LiveStream>;
  readThrough: number;
  reading: boolean;
  again: boolean;
}

export class LiveStreams {
  readonly #gate: LiveDeps;
  readonly #limits: LiveLimits;
  readonly #onError: (error: unknown) => void;
  readonly #streams = new Set<LiveStream>();
  readonly #watches = new Map<string, Watch>();
  /** Being opened. */
  readonly #coming = new Set<{ caller: SessionCaller }>();
  readonly #stopListening: () => void;
  readonly #stopBeating: () => Promise<void>;
  #closed = false;

  constructor(gate: LiveDeps, onError: (error: unknown) => void, limits: Partial<LiveLimits> = {}) {
    this.#gate = gate;
    this.#onError = onError;
    this.#limits = { ...LIMITS, ...limits };
    this.#stopListening = gate.ledger.onSealed((projectId) => this.#read(projectId));
    this.#stopBeating = repeatedly(this.#limits.heartbeatMs, () => this.#beat(), onError);
  }

  /** How many are open. */
  get count(): number {
    return this.#streams.size;
  }

  /**
   * @param lastEventId Where an earlier stream ended; without one, or with one of other projects, the page has to read
   * everything anew (`hello` says so).
   * @throws GateError `rate_limited`: session or person have as many as they may; `service_unavailable`: the gate has
   */
  async open(caller: SessionCaller, lastEventId: string | undefined): Promise<LiveStream> {
    this.#assertRoom(caller);
    const coming = { caller };
    this.#coming.add(coming);
    try {
      return await this.#join(caller, lastEventId);
    } finally {
      this.#coming.delete(coming);
    }
  }

  /** Ends them all; whoever comes later is refused. */
  close(): void {
    this.#closed = true;
    this.#stopListening();
    void this.#stopBeating();
    for (const stream of [...this.#streams]) stream.end('shutdown');
  }

  #assertRoom({ credentialId, user }: SessionCaller): void {
    if (this.#closed || this.#streams.size + this.#coming.size >= this.#limits.inAll) {
      throw new GateError('service_unavailable', 'No further page can be kept up to date just now.', {
        retry_after_seconds: RETRY_SECONDS,
      });
    }
    const { perSession, perPerson } = this.#limits;
    const own = [...this.#streams, ...this.#coming].filter(({ caller }) => caller.user.id === user.id);
    const ofSession = own.filter(({ caller }) => caller.credentialId === credentialId);
    if (ofSession.length >= perSession) throw tooManyPages(`A session has at most ${perSession} live pages.`);
    if (own.length >= perPerson) throw tooManyPages(`A person has at most ${perPerson} live pages.`);
  }

  async #join(caller: SessionCaller, lastEventId: string | undefined): Promise<LiveStream> {
    const projectIds = caller.memberships.map(({ projectId }) => projectId);
    const heads = await this.#headsOf(projectIds);
    const resumed = lastEventId === undefined ? undefined : readPosition(lastEventId, projectIds);
    const known = resumed && [...resumed].every(([id, seq]) => seq <= (heads.get(id) ?? 0));
    const stream = new LiveStream(caller, known ? resumed : heads, {
      mostWaitingBytes: this.#limits.waitingBytes,
      onEnd: (ended) => this.#forget(ended),
    });
    stream.greet(known === true);
    // What is read for all others meanwhile must not be missed: nothing is awaited between this check and the joining.
    for (;;) {
      const behind = projectIds.filter((id) => {
        const position = stream.position.get(id) ?? 0;
        return position < (this.#watches.get(id)?.readThrough ?? 0) || position < (heads.get(id) ?? 0);
      });
      if (behind.length === 0) break;
      for (const id of behind) {
        const { events, end } = await this.#eventsAfter(id, stream.position.get(id) ?? 0);
        heads.set(id, Math.min(heads.get(id) ?? 0, end));
        tellAll([stream], id, events, end);
      }
    }
    if (this.#closed) stream.end('shutdown');
    else if (!stream.ended) this.#watchFor(stream, projectIds);
    return stream;
  }

  #watchFor(stream: LiveStream, projectIds: readonly string[]): void {
    this.#streams.add(stream);
    for (const projectId of projectIds) {
      const watch = this.#watches.get(projectId);
      if (watch) watch.streams.add(stream);
      else {
        const readThrough = stream.position.get(projectId) ?? 0;
        const streams = new Set([stream]);
        this.#watches.set(projectId, { streams, readThrough, reading: false, again: false });
      }
      // Sealed between the look at its end and now.
      this.#read(projectId);
    }
  }

  #forget(stream: LiveStream): void {
    this.#streams.delete(stream);
    for (const projectId of stream.position.keys()) {
      const watch = this.#watches.get(projectId);
      watch?.streams.delete(stream);
      if (watch?.streams.size === 0) this.#watches.delete(projectId);
    }
  }

  /** One reading of a project at a time; what is sealed during it is read right after. */
  #read(projectId: string): void {
    const watch = this.#watches.get(projectId);
    if (!watch) return;
    watch.again = true;
    if (watch.reading) return;
    watch.reading = true;
    this.#readOn(projectId, watch).catch((error) => this.#fail(watch, error));
  }

  async #readOn(projectId: string, watch: Watch): Promise<void> {
    try {
      while (watch.again && watch.streams.size > 0) {
        watch.again = false;
        const { events, end } = await this.#eventsAfter(projectId, watch.readThrough);
        if (end <= watch.readThrough) continue;
        watch.readThrough = end;
        await this.#dismissWithoutRight(projectId, watch);
        tellAll(watch.streams, projectId, events, end);
      }
    } finally {
      watch.reading = false;
    }
  }

  /** Fails closed: who cannot be looked up is told nothing. The pages come back by themselves. */
  #fail(watch: Watch, error: unknown): void {
    // Whatever was still being read when the storage closed behind it is nobody's trouble.
    if (!this.#closed) this.#onError(error);
    for (const stream of [...watch.streams]) stream.end('shutdown');
  }

  async #eventsAfter(
    projectId: string,
    afterSeq: number,
  ): Promise<{ events: readonly SealedEvent[] | 'many'; end: number }> {
    const { read } = this.#gate.storage;
    const events = await read.listSealedEvents({
      projectId,
      afterSeq,
      order: 'asc',
      limit: MOST_NOTIFIED + 1,
    });
    if (events.length <= MOST_NOTIFIED) return { events, end: events.at(-1)?.seq ?? afterSeq };
    const heads = await this.#headsOf([projectId]);
    return { events: 'many', end: heads.get(projectId) ?? afterSeq };
  }

  async #headsOf(projectIds: readonly string[]): Promise<Map<string, number>> {
    const { read } = this.#gate.storage;
    const heads = await Promise.all(projectIds.map((id) => read.findChainHead(id)));
    return new Map(projectIds.map((id, index) => [id, heads[index]?.seq ?? 0]));
  }

  /** Before anything is told: sessions that ended, and memberships that are no longer what they were. */
  async #dismissWithoutRight(projectId: string, watch: Watch): Promise<void> {
    const { read } = this.#gate.storage;
    const revision = (await read.findProjectRevision(projectId)) ?? -1;
    const now = this.#gate.clock.now();
    const live = new Map<string, boolean>();
    for (const stream of [...watch.streams]) {
      const { credentialId } = stream.caller;
      if (!live.has(credentialId)) {
        const session = await read.findSession(credentialId);
        live.set(credentialId, session !== undefined && isLive(session, now));
      }
      if (!live.get(credentialId)) stream.end('session');
      // Members change only with the project's revision.
      else if (stream.revisions.get(projectId) !== revision) {
        const reason = await this.#reasonToEnd(stream.caller);
        if (reason) stream.end(reason);
        else stream.revisions.set(projectId, revision);
      }
    }
  }

  async #reasonToEnd(caller: SessionCaller): Promise<EndReason | undefined> {
    try {
      const { memberships } = await refreshSession(this.#gate, caller);
      return describe(memberships) === describe(caller.memberships) ? undefined : 'membership';
    } catch (error) {
      if (error instanceof GateError && error.code === 'unauthorized') return 'session';
      throw error;
    }
  }

  async #beat(): Promise<void> {
    for (const stream of [...this.#streams]) {
      // One at a time, with requests in between: nobody waits for a thousand look-ups.
      await yieldToEventLoop();
      if (stream.ended) continue;
      try {
        const reason = await this.#reasonToEnd(stream.caller);
        if (reason) stream.end(reason);
        else stream.beat();
      } catch (error) {
        if (!this.#closed) this.#onError(error);
        stream.end('shutdown');
      }
    }
  }
}

function tooManyPages(message: string): GateError<'rate_limited'> {
  return new GateError('rate_limited', message, { retry_after_seconds: RETRY_SECONDS });
}

function tellAll(
  streams: Iterable<LiveStream>,
  projectId: string,
  events: readonly SealedEvent[] | 'many',
  end: number,
): void {
  const changes: [number, Change][] =
    events === 'many'
      ? [[end, { project_id: projectId, intent_id: null, type: 'many' }]]
      : events.map(({ seq, intentId, type }) => [seq, { project_id: projectId, intent_id: intentId, type }]);
  for (const stream of [...streams]) {
    for (const [seq, change] of changes) stream.tell(seq, change);
  }
}

function describe(memberships: SessionCaller['memberships']): string {
  return memberships
    .map(({ projectId, role }) => `${projectId} ${role}`)
    .toSorted()
    .join();
}
