import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { StreamReader } from '../../src/http/mcp/stream-reader.ts';

/** More than the systems on both ends keep for a reader. */
const MUCH = 'x'.repeat(32 * 1024 * 1024);

const server = createServer();
let raw: ServerResponse;
let client: Socket;
let reader: StreamReader;

beforeEach(async () => {
  server.listen(0, '127.0.0.1');
  const came = Promise.withResolvers<ServerResponse>();
  server.once('request', (_request, response) => came.resolve(response));
  await expect.poll(() => server.listening).toBe(true);
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined);
  client.write('GET / HTTP/1.1\r\nhost: gate\r\n\r\n');
  raw = await came.promise;
  reader = new StreamReader(raw);
});
afterEach(async () => {
  client.destroy();
  await new Promise((resolve) => server.close(resolve));
});

function said(): { say: () => void; times: () => number } {
  let times = 0;
  const say = () => {
    times += 1;
  };
  return { say, times: () => times };
}

test('a reader who takes what it is told is told at once, and never cut off', () => {
  const { say, times } = said();
  reader.tell(say);
  reader.tell(say);
  expect(times()).toBe(2);
  expect([reader.poll(), reader.poll(), reader.poll()]).toEqual([true, true, true]);
  expect(raw.destroyed).toBe(false);
});

test('one who is behind is told once when it has caught up, whatever happened meanwhile', async () => {
  const { say, times } = said();
  raw.write(MUCH);
  for (let count = 0; count < 100; count += 1) reader.tell(say);
  expect(reader.poll()).toBe(false);
  expect(times()).toBe(0);
  client.resume();
  await expect.poll(times).toBe(1);
  expect(reader.poll()).toBe(true);
  expect(raw.destroyed).toBe(false);
});

test('one who has not caught up between two looks is cut off', async () => {
  raw.write(MUCH);
  reader.poll();
  expect(raw.destroyed).toBe(false);
  reader.poll();
  expect(raw.destroyed).toBe(true);
});

test('one who takes nothing is not waited for at the end, and told nothing after it', async () => {
  const { say, times } = said();
  raw.write(MUCH);
  reader.tell(say);
  reader.end(say);
  expect(raw.destroyed).toBe(true);
  reader.tell(say);
  expect(times()).toBe(0);
});

test('who reads hears the goodbye, once, and nothing after it', async () => {
  const { say, times } = said();
  reader.end(say);
  reader.end(say);
  reader.tell(say);
  expect(times()).toBe(1);
  expect(reader.poll()).toBe(false);
  expect(raw.destroyed).toBe(false);
});
