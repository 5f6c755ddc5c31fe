/** A stream is as fast as its reader, and many idle streams cost little. */
import { once } from 'node:events';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EventStream } from '../../src/streams/event-stream.ts';
import { EventStreams, type StreamLimits, USUAL_LIMITS } from '../../src/streams/event-streams.ts';
import { SealedTails } from '../../src/streams/sealed-tails.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';

let t: TestApp;
let streams: EventStreams;
let tails: SealedTails;
beforeEach(async () => {
  t = await openTestApp({ logLevel: 'silent' });
  await t.gate.ledger.sealNow(t.projectId);
});
afterEach(async () => {
  streams.close();
  await tails.close();
  await t.close();
});

/** Streams whose connections take one message at a time. */
function openDoor(limits: Partial<StreamLimits> = {}): void {
  const onError = (error: unknown) => expect.unreachable(String(error));
  const door = { ...USUAL_LIMITS, inAll: 1, waitingBytes: 1, what: 'streams', whenFull: 'Full.', ...limits };
  tails = new SealedTails(t.gate, onError);
  streams = new EventStreams(tails, onError, door);
}

function openStream(reader = 'somebody'): Promise<EventStream> {
  return streams.open({
    slots: [],
    reader,
    recheck: async () => undefined,
    projectIds: [t.projectId],
    begin: (position) => ({
      position,
      words: {
        hello: () => 'hello\n',
        tell: ({ events }) => `told ${events.length}\n`,
        beat: () => 'beat\n',
        goodbye: (reason) => `${reason}\n`,
      },
    }),
  });
}

function open(limits: Partial<StreamLimits> = {}): Promise<EventStream> {
  openDoor(limits);
  return openStream();
}

async function happen(times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    await t.call('POST', '/v1/intents', {
      key: t.first.agent_key,
      body: { action: 'deploy', params: { n } },
    });
  }
  await t.gate.ledger.sealNow(t.projectId);
}

function take(readable: NodeJS.ReadableStream): () => string {
  let text = '';
  readable.on('data', (piece) => {
    text += String(piece);
  });
  return () => text;
}

test('a reader that keeps up gets new events at once and is never cut off', async () => {
  const stream = await open({ checkMs: 5, stalledMs: 10 });
  const heard = take(stream.readable);
  await happen(1);
  await expect.poll(heard).toBe('hello\ntold 1\n');
  await new Promise((resolve) => setTimeout(resolve, 50));
  await happen(1);
  await expect.poll(heard).toBe('hello\ntold 1\ntold 1\n');
  expect(stream.readable.destroyed).toBe(false);
});

test('a reader that is behind gets everything in one message once it has caught up', async () => {
  const stream = await open();
  for (let n = 0; n < 5; n += 1) await happen(1);
  expect(stream.readable.readableLength).toBe('hello\n'.length);
  const heard = take(stream.readable);
  await expect.poll(heard).toBe('hello\ntold 5\n');
});

test('a reader that does not catch up in time is cut off, which frees its place', async () => {
  const stream = await open({ checkMs: 5, stalledMs: 10 });
  await once(stream.readable, 'close');
  expect([stream.readable.destroyed, streams.count]).toEqual([true, 0]);
});

test('an ended stream does not wait for a stalled reader, and sends nothing more', async () => {
  const stream = await open({ checkMs: 5, stalledMs: 10 });
  stream.end('credential');
  await happen(1);
  await expect.poll(() => streams.count).toBe(0);
  expect(stream.readable.destroyed).toBe(true);
});

test('a reader that keeps up gets one goodbye, and nothing after it', async () => {
  const stream = await open();
  const heard = take(stream.readable);
  await expect.poll(heard).toBe('hello\n');
  stream.end('membership');
  stream.end('credential');
  await happen(1);
  await expect.poll(() => streams.count).toBe(0);
  expect(heard()).toBe('hello\nmembership\n');
});

test('two thousand idle streams each get an event once, and one more stream is refused', async () => {
  openDoor({ inAll: 2000 });
  const heard: (() => string)[] = [];
  for (let n = 0; n < 2000; n += 1) heard.push(take((await openStream(`reader ${n % 200}`)).readable));
  await expect(openStream()).rejects.toMatchObject({ code: 'service_unavailable' });
  await happen(1);
  await expect.poll(() => heard.filter((text) => text().includes('told')).length).toBe(2000);
  expect(new Set(heard.map((text) => text()))).toEqual(new Set(['hello\ntold 1\n']));
});
