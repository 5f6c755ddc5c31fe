/**
 * A request whose headers match its body takes a shorter path to the SDK's server. The answer is the same as on the
 * longer path.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAIL } from '../gateway/open-gateway.ts';
import { openMcp, type TestMcp } from './open-mcp.ts';

let t: TestMcp;
beforeAll(async () => {
  t = await openMcp();
});
afterAll(() => t.close());

const VERSION = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

function call(name: string, given: object, headers: Record<string, string>, meta: object = META) {
  const message = {
    jsonrpc: '2.0',
    id: 7,
    method: 'tools/call',
    params: { name, arguments: given, _meta: meta },
  };
  return t.post(message, {
    headers: { 'mcp-protocol-version': VERSION, 'mcp-method': 'tools/call', ...headers },
  });
}

const encoded = (name: string) => `=?base64?${Buffer.from(name).toString('base64')}?=`;

test('the short and the long way to the SDK’s server give the same result and the same headers', async () => {
  const given = { connector_request_id: 'crq_of_nobody' };
  const short = await call('permitry.result', given, { 'mcp-name': 'permitry.result' });
  const long = await call('permitry.result', given, { 'mcp-name': encoded('permitry.result') });
  const withoutId = ({ text }: { text: string }) => text.replaceAll(/req_\w+/g, 'req_');
  expect(short.body).toMatchObject({ id: 7, result: { resultType: 'complete', isError: true } });
  expect(withoutId(short)).toBe(withoutId(long));
  expect([short.status, short.headers.get('content-type')]).toEqual([200, expect.stringContaining('json')]);
  expect(long.headers.get('content-type')).toContain('application/json');
});

test('the short and the long way to the SDK’s server each run a call once', async () => {
  const before = (await t.done('mail')).length;
  for (const name of ['mail.send', encoded('mail.send')]) {
    const { body } = await call('mail.send', MAIL, { 'mcp-name': name });
    expect(body).toMatchObject({ result: { _meta: { 'permitry/status': 'executed' } } });
  }
  expect(await t.done('mail')).toHaveLength(before + 2);
});

test.each([
  ['another tool in the header', { 'mcp-name': 'files.delete' }, META],
  ['another method in the header', { 'mcp-method': 'tools/list', 'mcp-name': 'mail.send' }, META],
  ['no name in the header', {}, META],
  ['another revision in the header', { 'mcp-protocol-version': '2026-07-29', 'mcp-name': 'mail.send' }, META],
  [
    'another revision in the message',
    { 'mcp-name': 'mail.send' },
    { ...META, 'io.modelcontextprotocol/protocolVersion': '2026-07-29' },
  ],
  [
    'no client in the message',
    { 'mcp-name': 'mail.send' },
    { 'io.modelcontextprotocol/protocolVersion': VERSION },
  ],
])('a call with %s is refused, and nothing is run', async (_, headers, meta) => {
  const before = (await t.done('mail')).length;
  const { status, body } = await call('mail.send', MAIL, headers, meta);
  expect([status, body.result]).toEqual([400, undefined]);
  expect(body).toHaveProperty('error');
  expect(await t.done('mail')).toHaveLength(before);
});
