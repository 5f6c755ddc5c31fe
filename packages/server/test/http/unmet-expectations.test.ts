/** An Expect header that the gate cannot meet is refused with an ordinary error of the surface. */
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

const BODY = '{"action":"deploy","source_type":"ci"}';

async function send(path: string, expectation: string): Promise<string> {
  const socket = connect((t.app.server.address() as AddressInfo).port, '127.0.0.1');
  let text = '';
  socket.on('data', (part) => {
    text += part;
  });
  const closed = once(socket, 'close');
  const fields = [
    'host: x',
    `authorization: Bearer ${t.first.agent_key}`,
    'content-type: application/json',
    `content-length: ${BODY.length}`,
    `expect: ${expectation}`,
    'connection: close',
  ];
  socket.write(`POST ${path} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n${BODY}`);
  await closed;
  return text;
}

test.each([
  ['/v1/intents', 'invalid_request'],
  ['/api/intents', 'INVALID_FIELDS'],
])('an Expect header other than 100-continue is refused at %s', async (path, code) => {
  const text = await send(path, '200-ok');
  expect(text).toMatch(/^HTTP\/1\.1 417 /);
  const [, id] = /^x-request-id: (req_\w+)\r$/m.exec(text) ?? [];
  expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n')))).toMatchObject({ error: { code, request_id: id } });
  expect(await t.events(t.projectId, 'intent.created')).toEqual([]);
});

test('Expect: 100-continue gets 100 Continue and then the answer', async () => {
  const text = await send('/api/intents', '100-continue');
  expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /);
});
