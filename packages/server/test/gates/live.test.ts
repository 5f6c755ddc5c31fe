/** Pages open at one gate show what happens at another, and can resume at a third. */
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { refreshSession } from '../../src/gate/access/authenticate-session.ts';
import { openPageStream, PAGES } from '../../src/http/console/page-stream.ts';
import type { GateParts } from '../../src/open-gate.ts';
import { endOwnSession } from '../../src/people/sessions/end-session.ts';
import { EventStreams } from '../../src/streams/event-streams.ts';
import { SealedTails } from '../../src/streams/sealed-tails.ts';
import { type SignedIn, signedIn } from '../fixtures/signed-in.ts';
import { type Gates, openGates } from './open-gates.ts';

let t: Gates;
let annsId: string;
let ann: SignedIn;
let doors: { at: GateParts; tails: SealedTails; streams: EventStreams }[];
const failures: unknown[] = [];
beforeAll(async () => {
  t = await openGates(3, { mode: 'live' });
  annsId = (await t.addPerson('ann@example.org', 'approver')).userId;
  ann = await signedIn(t.gate, annsId);
  const onError = (error: unknown) => failures.push(error);
  doors = t.gates.map(({ gate }) => {
    const tails = new SealedTails(gate, onError);
    return { at: gate, tails, streams: new EventStreams(tails, onError, PAGES) };
  });
});
afterAll(async () => {
  for (const { streams, tails } of doors) {
    streams.close();
    await tails.close();
  }
  await t.close();
  expect(failures).toEqual([]);
});

interface Page {
  text(): string;
  lastId(): string;
  leave(): void;
}

interface PageOptions {
  lastEventId?: string;
  session?: SignedIn;
}

async function openPage(gate: number, { lastEventId, session = ann }: PageOptions = {}): Promise<Page> {
  const door = doors[gate];
  if (!door) throw new Error('there are three gates');
  const stream = await openPageStream(door.streams, door.at, await session.caller(), lastEventId);
  const readable: Readable = stream.readable;
  let text = '';
  readable.on('data', (piece: Buffer) => {
    text += piece.toString();
  });
  return {
    text: () => text,
    lastId: () => [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? '',
    leave: () => readable.destroy(),
  };
}

async function create(gate: number): Promise<string> {
  const { body } = await t.replicaIn(gate).call('POST', '/v1/intents', {
    key: t.first.agent_key,
    body: { action: 'deploy', params: {} },
  });
  return String(body.id);
}

test('an open page learns at once of requests and decisions at other gates', async () => {
  const page = await openPage(1);
  const id = await create(0);
  await expect.poll(page.text).toContain(`"intent_id":"${id}","type":"intent.created"`);
  const decided = await t
    .replicaIn(2)
    .call('POST', `/v1/intents/${id}/deny`, { key: t.owner.token, body: {} });
  expect(decided.status).toBe(200);
  await expect.poll(page.text).toContain(`"intent_id":"${id}","type":"intent.denied"`);
  page.leave();
});

test('a page that loses its gate resumes at another and misses nothing', async () => {
  const before = await openPage(0);
  const seen = await create(1);
  await expect.poll(before.text).toContain(seen);
  before.leave();
  const missed = await create(2);
  await t.gate.ledger.sealNow(t.projectId);
  const after = await openPage(2, { lastEventId: before.lastId() });
  await expect.poll(after.text).toContain(missed);
  expect(after.text()).toContain('"resumed":true');
  expect(after.text()).not.toContain(seen);
  after.leave();
});

test('a page gets no more events after its session has ended at another gate', async () => {
  const session = await signedIn(t.gate, annsId);
  const page = await openPage(1, { session });
  await expect.poll(page.text).toContain('event: hello');
  const [, , third] = t.gates;
  if (!third) throw new Error('there are three gates');
  await endOwnSession(third.gate, await refreshSession(third.gate, await session.caller()));
  const id = await create(0);
  await expect.poll(page.text).toContain('{"reason":"session"}');
  expect(page.text()).not.toContain(id);
});
