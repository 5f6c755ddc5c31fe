/**
 * Event streams of open pages. One reader of the log feeds all of them, and each stream ends when its right to read
 * ends.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SessionCaller } from '../../src/gate/access/caller.ts';
import { createProject } from '../../src/gate/projects/create-project.ts';
import { openPageStream, PAGES, type PageLimits } from '../../src/http/console/page-stream.ts';
import type { GateParts } from '../../src/open-gate.ts';
import { addMember } from '../../src/people/members/add-member.ts';
import { changeRole } from '../../src/people/members/change-role.ts';
import { removeMember } from '../../src/people/members/remove-member.ts';
import { endOwnSession } from '../../src/people/sessions/end-session.ts';
import type { EventStream } from '../../src/streams/event-stream.ts';
import { EventStreams, type StreamLimits } from '../../src/streams/event-streams.ts';
import { SealedTails } from '../../src/streams/sealed-tails.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { type SignedIn, signedIn } from '../fixtures/signed-in.ts';
import { type InboxApp, openInbox } from './open-inbox.ts';

let t: InboxApp;
let ann: SignedIn;
let streams: PageStreams;
let failures: unknown[];
const followers: SealedTails[] = [];

/** The dashboard's event streams, on any gate. */
class PageStreams extends EventStreams {
  readonly #gate: GateParts;
  readonly #limits: PageLimits | undefined;

  constructor(gate: GateParts, door: Partial<StreamLimits> = {}, limits?: PageLimits) {
    const onError = (error: unknown) => failures.push(error);
    const tails = new SealedTails(gate, onError);
    followers.push(tails);
    super(tails, onError, { ...PAGES, ...door });
    this.#gate = gate;
    this.#limits = limits;
  }

  openFor(caller: SessionCaller, lastEventId?: string): Promise<EventStream> {
    return openPageStream(this, this.#gate, caller, lastEventId, this.#limits);
  }
}

beforeEach(async () => {
  t = await openInbox();
  ann = await t.addSession('ann@example.org', 'approver');
  // Seals the events so far, so that new streams do not receive them.
  await t.gate.ledger.sealNow(t.projectId);
  failures = [];
  streams = new PageStreams(t.gate);
});
afterEach(async () => {
  streams.close();
  for (const tails of followers.splice(0)) await tails.close();
  await t.close();
  expect(failures).toEqual([]);
});

interface Message {
  id?: string;
  event?: string;
  data?: Record<string, unknown>;
}

/** Collects what a page receives and parses it as a page would. */
class Hearing {
  readonly messages: Message[] = [];
  text = '';
  over = false;
  #heard: () => void = () => {};

  constructor(source: AsyncIterable<Uint8Array>) {
    void this.#listen(source);
  }

  get ids(): (string | undefined)[] {
    return this.changes.map(({ intent_id: id }) => id as string);
  }

  get changes(): Record<string, unknown>[] {
    return this.messages.flatMap(({ event, data }) => (event === 'changed' && data ? [data] : []));
  }

  get lastId(): string | undefined {
    return this.messages.findLast(({ id }) => id !== undefined)?.id;
  }

  async until(isSo: (hearing: Hearing) => boolean): Promise<void> {
    while (!isSo(this)) {
      if (this.over) throw new Error(`the stream is over:\n${this.text}`);
      await new Promise<void>((resolve) => {
        this.#heard = resolve;
      });
    }
  }

  async untilOver(): Promise<Message | undefined> {
    while (!this.over) {
      await new Promise<void>((resolve) => {
        this.#heard = resolve;
      });
    }
    return this.messages.at(-1);
  }

  async #listen(source: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      for await (const piece of source) {
        this.text += Buffer.from(piece).toString();
        this.#read();
        this.#heard();
      }
    } catch {
      // The stream was cut.
    }
    this.over = true;
    this.#heard();
  }

  #read(): void {
    this.messages.length = 0;
    for (const block of this.text.split('\n\n').slice(0, -1)) {
      const message: Message = {};
      for (const line of block.split('\n')) {
        if (line.startsWith('id: ')) message.id = line.slice(4);
        if (line.startsWith('event: ')) message.event = line.slice(7);
        if (line.startsWith('data: ')) message.data = JSON.parse(line.slice(6));
      }
      if (message.event) this.messages.push(message);
    }
  }
}

async function listen(
  who: SignedIn,
  lastEventId?: string,
  from = streams,
): Promise<Hearing & { stream: EventStream }> {
  const stream = await from.openFor(await who.caller(), lastEventId);
  return Object.assign(new Hearing(stream.readable), { stream });
}

describe('an event stream', () => {
  test('sends IDs and types of events in the person’s projects, and nothing else', async () => {
    const page = await listen(ann);
    const id = await t.ask('payments.refund', { params: { secret: 'hunter2' } });
    await page.until(({ changes }) => changes.some(({ type }) => type === 'intent.created'));
    expect(page.messages[0]).toMatchObject({ event: 'hello', data: { resumed: false } });
    expect(page.changes).toContainEqual({ project_id: t.projectId, intent_id: id, type: 'intent.created' });
    expect(page.text).not.toMatch(/hunter2|payments/);
  });

  test('sends nothing about other people’s projects', async () => {
    await createProject(t.gate, OPERATOR, { name: 'Other', mode: 'live', ownerEmail: 'otto@example.org' });
    const otto = await t.gate.storage.read.findUserByEmail('otto@example.org');
    const stranger = await signedIn(t.gate, String(otto?.id));
    const theirs = await listen(stranger);
    const ours = await listen(ann);
    const id = await t.ask('deploy');
    await ours.until(({ ids }) => ids.includes(id));
    expect(theirs.changes.filter(({ project_id: project }) => project === t.projectId)).toEqual([]);
  });

  test('resumes from the log where an earlier stream ended', async () => {
    const before = await listen(ann);
    const seen = await t.ask('deploy.seen');
    await before.until(({ ids }) => ids.includes(seen));
    before.stream.readable.destroy();
    const missed = [await t.ask('deploy.missed'), await t.ask('deploy.missed-too')];
    await t.gate.ledger.sealNow(t.projectId);
    const after = await listen(ann, before.lastId);
    await after.until(({ ids }) => ids.includes(missed[1]));
    expect(after.messages[0]).toMatchObject({ event: 'hello', data: { resumed: true } });
    expect(after.ids).toEqual(missed);
    const live = await t.ask('deploy.live');
    await after.until(({ ids }) => ids.includes(live));
    expect(after.ids).toEqual([...missed, live]);
  });

  test('says that it cannot resume from an invalid position', async () => {
    const page = await listen(ann);
    await page.until(({ lastId }) => lastId !== undefined);
    const [mark] = String(page.lastId).split('.');
    for (const id of ['', 'x', '1.2.3', `${mark}.zzzzzz`, `${mark}.1.1`, `${mark}.-1`, `${mark}.`]) {
      const other = await listen(ann, id);
      await other.until(({ messages }) => messages.length > 0);
      expect(other.messages[0]).toMatchObject({ data: { resumed: false } });
      other.stream.end('shutdown');
      await other.untilOver();
    }
  });

  test('sums up a large backlog as “many”, and continues at the end of the log', async () => {
    const page = await listen(ann);
    const early = await listen(ann, page.lastId);
    const ids = await Promise.all(Array.from({ length: 120 }, (_, n) => t.ask(`deploy.${n}`)));
    await t.gate.ledger.sealNow(t.projectId);
    const late = await listen(ann, page.messages[0]?.id);
    await late.until(({ changes }) => changes.some(({ type }) => type === 'many'));
    expect(late.changes).toEqual([{ project_id: t.projectId, intent_id: null, type: 'many' }]);
    const next = await t.ask('deploy.next');
    await Promise.all([late, early].map((one) => one.until(({ ids: heard }) => heard.includes(next))));
    expect(late.ids).toEqual([null, next]);
    expect(early.changes.length).toBeLessThan(ids.length);
  });

  test('sends heartbeats while nothing happens', async () => {
    const quick = new PageStreams(t.gate, { heartbeatMs: 5 });
    const page = await listen(ann, undefined, quick);
    await page.until(({ text }) => text.includes('\n\n:\n\n'));
    quick.close();
  });
});

describe('an event stream ends', () => {
  test('when the session ends, before it sends anything more', async () => {
    const page = await listen(ann);
    await endOwnSession(t.gate, await ann.caller());
    await t.ask('deploy');
    expect(await page.untilOver()).toEqual({ event: 'end', data: { reason: 'session' } });
    expect(page.changes).toEqual([]);
    await expect.poll(() => streams.count).toBe(0);
  });

  test('when the person’s role changes or their membership ends', async () => {
    const { user } = await ann.caller();
    const page = await listen(ann);
    await changeRole(t.gate, OPERATOR, { projectId: t.projectId, userId: user.id, role: 'viewer' });
    expect(await page.untilOver()).toEqual({ event: 'end', data: { reason: 'membership' } });
    const demoted = await listen(ann);
    await removeMember(t.gate, OPERATOR, { projectId: t.projectId, userId: user.id });
    await t.ask('deploy');
    expect(await demoted.untilOver()).toMatchObject({ data: { reason: 'membership' } });
    expect([...page.changes, ...demoted.changes]).toEqual([]);
  });

  test('at the next check when the session was idle too long or the person joined another project', async () => {
    const quick = new PageStreams(t.gate, { checkMs: 5 });
    const page = await listen(ann, undefined, quick);
    const { id: projectId } = (
      await createProject(t.gate, OPERATOR, { name: 'Other', mode: 'live', ownerEmail: 'otto@example.org' })
    ).project;
    await addMember(t.gate, OPERATOR, { projectId, email: 'ann@example.org', role: 'viewer' });
    expect(await page.untilOver()).toMatchObject({ data: { reason: 'membership' } });
    const again = await listen(ann, undefined, quick);
    t.clock.advance(12 * 60 * 60);
    expect(await again.untilOver()).toMatchObject({ data: { reason: 'session' } });
    quick.close();
  });

  test('when its client does not read, while another stream receives everything', async () => {
    const small = new PageStreams(t.gate, { waitingBytes: 1500, stalledMs: 20, checkMs: 5 });
    const slow = await small.openFor(await ann.caller());
    const page = await listen(ann, undefined, small);
    while (!slow.readable.destroyed) {
      const id = await t.ask('deploy');
      await page.until(({ ids }) => ids.includes(id));
      expect(slow.readable.readableLength).toBeLessThanOrEqual(2000);
    }
    await expect.poll(() => small.count).toBe(1);
    small.close();
  });

  test('when the gate stops', async () => {
    const page = await listen(ann);
    streams.close();
    expect(await page.untilOver()).toEqual({ event: 'end', data: { reason: 'shutdown' } });
    await expect(listen(ann)).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  test('when the gate cannot check who may read it', async () => {
    const unlucky = new PageStreams(t.parts.gate);
    const page = await listen(ann, undefined, unlucky);
    t.reads.findSession = () => Promise.reject(new Error('the database is away'));
    await t.ask('deploy');
    expect(await page.untilOver()).toMatchObject({ event: 'end' });
    unlucky.close();
    expect(page.changes).toEqual([]);
    expect(failures.splice(0)).toHaveLength(1);
  });
});

describe('many event streams', () => {
  test('are limited to six per session, and closing one makes room for another', async () => {
    const caller = await ann.caller();
    const opened = await Promise.allSettled(Array.from({ length: 8 }, () => streams.openFor(caller)));
    const good = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(good).toHaveLength(6);
    await expect(streams.openFor(caller)).rejects.toMatchObject({ code: 'rate_limited' });
    good[0]?.cut();
    await expect.poll(() => streams.count).toBe(5);
    expect((await streams.openFor(caller)).readable.destroyed).toBe(false);
  });

  test('are limited to thirty per person across all sessions, without affecting other people', async () => {
    const people = await Promise.all(Array.from({ length: 8 }, () => signedIn(t.gate, t.owner.userId)));
    const callers = await Promise.all(people.map((person) => person.caller()));
    const opened = await Promise.allSettled(
      callers.flatMap((caller) => Array.from({ length: 5 }, () => streams.openFor(caller))),
    );
    expect(opened.filter(({ status }) => status === 'fulfilled')).toHaveLength(30);
    expect(opened.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'rate_limited' },
    });
    expect((await streams.openFor(await ann.caller())).readable.destroyed).toBe(false);
  });

  test('are limited for the whole gate', async () => {
    const few = new PageStreams(t.gate, { inAll: 3 });
    const people = await Promise.all(Array.from({ length: 4 }, () => signedIn(t.gate, t.owner.userId)));
    const opened = await Promise.allSettled(people.map(async (person) => few.openFor(await person.caller())));
    expect(opened.filter(({ status }) => status === 'rejected')).toMatchObject([
      { reason: { code: 'service_unavailable' } },
    ]);
    few.close();
  });

  test('receive each event once and in order when three hundred are open', async () => {
    streams.close();
    streams = new PageStreams(t.gate, {}, { perSession: 6, perPerson: 100 });
    const members = await Promise.all(
      ['bo', 'chris', 'dana'].map((name) => t.addPerson(`${name}@example.org`, 'viewer')),
    );
    const people = await Promise.all(
      members.flatMap(({ userId }) => Array.from({ length: 20 }, () => signedIn(t.gate, userId))),
    );
    const pages = await Promise.all(
      people.flatMap((person) => Array.from({ length: 5 }, () => listen(person))),
    );
    expect(streams.count).toBe(300);
    await t.gate.ledger.sealNow(t.projectId);
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      ids.push(await t.ask(`deploy.${n}`));
      await t.gate.ledger.sealNow(t.projectId);
    }
    await Promise.all(pages.map((page) => page.until(({ ids: heard }) => heard.includes(ids.at(-1)))));
    for (const page of pages) {
      expect(
        page.changes.filter(({ type }) => type === 'intent.created').map((one) => one.intent_id),
      ).toEqual(ids);
    }
    for (const page of pages) page.stream.readable.destroy();
    await new Promise((resolve) => setImmediate(resolve));
    expect(streams.count).toBe(0);
  });
});

describe('GET /console/stream', () => {
  test('is an event stream that can be resumed and ends with the server', async () => {
    await t.app.listen({ host: '127.0.0.1', port: 0 });
    const address = t.app.server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const response = await fetch(`http://127.0.0.1:${port}/console/stream`, {
      headers: { cookie: ann.cookie },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    if (!response.body) throw new Error('no body');
    const page = new Hearing(response.body as unknown as AsyncIterable<Uint8Array>);
    const id = await t.ask('deploy');
    await page.until(({ ids }) => ids.includes(id));
    const resumed = await fetch(`http://127.0.0.1:${port}/console/stream`, {
      headers: { cookie: ann.cookie, 'last-event-id': String(page.messages[0]?.id) },
    });
    const second = new Hearing(resumed.body as unknown as AsyncIterable<Uint8Array>);
    await second.until(({ ids }) => ids.includes(id));
    await t.app.close();
    expect(await page.untilOver()).toEqual({ event: 'end', data: { reason: 'shutdown' } });
    expect(await second.untilOver()).toEqual({ event: 'end', data: { reason: 'shutdown' } });
  });

  test('has no HEAD, because its response would never end', async () => {
    expect((await t.call('HEAD', '/console/stream', { headers: ann.headers })).status).toBe(404);
  });
});
