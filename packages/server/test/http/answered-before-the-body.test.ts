/** A client that sends too much gets an answer, even when it comes while the client is still sending. */
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from './open-test-app.ts';

let t: TestApp;
beforeAll(async () => {
  t = await openTestApp();
  await t.app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => t.close());

const HALF = ' '.repeat(512 * 1024);
const SMALL = '{"action":"deploy"}';

function head(...fields: string[]): string {
  const authorization = `authorization: Bearer ${t.first.agent_key}`;
  const all = ['host: x', authorization, 'content-type: application/json', ...fields];
  return `POST /v1/intents HTTP/1.1\r\n${all.join('\r\n')}\r\n\r\n`;
}

/** Sends the second part after the answer to the first, then a small request, and returns everything received. */
async function sendInTwo(first: string, second: string): Promise<string> {
  const socket = connect((t.app.server.address() as AddressInfo).port, '127.0.0.1');
  let text = '';
  socket.on('data', (part) => {
    text += part;
  });
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  socket.write(first);
  await expect.poll(() => text).toContain('request_id');
  socket.write(second);
  socket.write(`${head(`content-length: ${SMALL.length}`, 'connection: close')}${SMALL}`);
  await closed;
  return text;
}

test.each([
  ['of declared length', () => [`${head(`content-length: ${2 * HALF.length}`)}${HALF}`, HALF] as const],
  [
    'in chunks',
    () => {
      const chunk = `${HALF.length.toString(16)}\r\n${HALF}\r\n`;
      return [`${head('transfer-encoding: chunked')}${chunk}`, `${chunk}0\r\n\r\n`] as const;
    },
  ],
])('an oversized body %s is refused, and its unread rest does not break the connection', async (_, parts) => {
  const text = await sendInTwo(...parts());
  const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
  expect(statuses).toEqual([413, 201]);
});
