/** Messages that no honest client sends: each is refused in MCP's terms, and nothing is requested or run. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { CallsUnderWay } from '../../src/http/mcp/calls-under-way.ts';
import { MAIL, REFUND } from '../gateway/open-gateway.ts';
import { openMcp, type TestMcp } from './open-mcp.ts';

let t: TestMcp;
beforeAll(async () => {
  t = await openMcp();
});
afterAll(() => t.close());

const MODERN_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { url: {} } },
};

function legacyCall(name: string, given: object, id: string | number = 1): object {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: given } };
}

interface InputRequired {
  resultType: string;
  requestState: string;
  inputRequests: { approval: { params: { url: string } } };
  isError?: boolean;
  structuredContent?: Record<string, unknown>;
}

/** A call of revision 2026-07-28 as sent over HTTP. */
async function modernCall(
  name: string,
  given: object,
  { key, more = {} }: { key?: string; more?: object } = {},
): Promise<{
  result: InputRequired | undefined;
  error: { code: number; data?: Record<string, unknown> } | undefined;
}> {
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: given, _meta: MODERN_META, ...more },
  };
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name };
  const { body } = await t.post(message, { headers, ...(key === undefined ? {} : { key }) });
  return body as unknown as Awaited<ReturnType<typeof modernCall>>;
}

async function initialise(capabilities: object, key = t.first.agent_key): Promise<string> {
  const message = {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'test', version: '1' } },
  };
  const { headers } = await t.post(message, { key });
  return headers.get('mcp-session-id') ?? '';
}

async function mails(): Promise<number> {
  return (await t.done('mail')).length;
}

describe('the MCP endpoint', () => {
  test('answers a call without a key with 401 and a challenge', async () => {
    const answer = await t.post(legacyCall('mail.send', MAIL), { key: null });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="permitry"');
    expect(answer.body).toMatchObject({ error: { code: 'unauthorized', request_id: expect.any(String) } });
  });

  test.each(['verifier_key', 'owner'] as const)('refuses tool calls with the %s', async (kind) => {
    const key = kind === 'owner' ? t.owner.token : t.first.verifier_key;
    const answer = await t.post(legacyCall('mail.send', MAIL), { key });
    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({ error: { code: 'forbidden' } });
  });

  test('accepts tool calls with a secret key', async () => {
    const before = await mails();
    const answer = await t.post(legacyCall('mail.send', MAIL), { key: t.first.secret_key });
    expect(answer.body).toMatchObject({ id: 1, result: { _meta: { 'permitry/status': 'executed' } } });
    expect(await mails()).toBe(before + 1);
  });

  test.each(['https://evil.example', 'null', 'http://localhost.evil.example'])(
    'refuses a request from a page of %s',
    async (origin) => {
      const before = await mails();
      const answer = await t.post(legacyCall('mail.send', MAIL), { headers: { origin } });
      expect(answer.status).toBe(403);
      expect(await mails()).toBe(before);
    },
  );

  test('accepts requests from the gate’s own pages and from pages of its machine', async () => {
    for (const origin of ['http://localhost:4000', 'http://127.0.0.1:6274']) {
      const answer = await t.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { headers: { origin } });
      expect(answer.status).toBe(200);
    }
  });

  test('refuses DELETE, because there is no session to end', async () => {
    const answer = await fetch(t.url, { method: 'DELETE', headers: { accept: 'text/event-stream' } });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET, POST');
  });
});

describe('the MCP message handler', () => {
  test.each([
    ['a batch', [legacyCall('mail.send', MAIL), legacyCall('mail.send', MAIL, 2)]],
    ['an empty batch', []],
    ['a string', '"tools/call"'],
    ['half a message', '{"jsonrpc":"2.0","id":1,'],
    ['a duplicate member', '{"jsonrpc":"2.0","id":1,"method":"tools/call","method":"ping"}'],
    ['an ID too large to be exact', '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}'],
    ['a fractional ID', { jsonrpc: '2.0', id: 1.5, method: 'ping' }],
    ['an object as ID', { jsonrpc: '2.0', id: {}, method: 'ping' }],
    ['another JSON-RPC version', { jsonrpc: '1.0', id: 1, method: 'ping' }],
    ['a message without a version', { id: 1, method: 'ping' }],
    ['an empty object', {}],
    [
      'a call with arguments nested too deeply',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mail.send","arguments":${'{"a":'.repeat(80)}1${'}'.repeat(80)}}}`,
    ],
    [
      'a member named __proto__',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"__proto__":{"name":"mail.send"}}}',
    ],
  ])('refuses %s with 400', async (_what, message) => {
    const before = await mails();
    const answer = await t.post(message);
    expect(answer.status).toBe(400);
    expect(answer.body).toHaveProperty('error.code');
    expect(await mails()).toBe(before);
  });

  test('refuses a message larger than 256 KiB with 413', async () => {
    const answer = await t.post(legacyCall('mail.send', { ...MAIL, text: 'x'.repeat(300_000) }));
    expect(answer.status).toBe(413);
  });

  test('refuses another media type with 415, and an unacceptable answer format with 406', async () => {
    const message = legacyCall('mail.send', MAIL);
    expect((await t.post(message, { headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    expect((await t.post(message, { headers: { accept: 'text/html' } })).status).toBe(406);
  });

  test('answers unknown and unsupported methods with a protocol error', async () => {
    for (const method of [
      'no/such',
      'resources/list',
      'prompts/get',
      'sampling/createMessage',
      'tools/approve',
    ]) {
      const answer = await t.post({ jsonrpc: '2.0', id: 'x', method, params: {} });
      expect(answer.body).toMatchObject({ id: 'x', error: { code: -32601 } });
    }
  });

  test('runs nothing for a call without a name, or with arguments that are not an object', async () => {
    for (const params of [{}, { name: 7 }, { name: 'mail.send', arguments: [MAIL] }, undefined]) {
      const { body } = await t.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      expect(body).toMatchObject({ error: { code: -32602 } });
    }
  });

  test('accepts notifications and unexpected answers, and does nothing', async () => {
    const before = await mails();
    const call = { jsonrpc: '2.0', method: 'tools/call', params: { name: 'mail.send', arguments: MAIL } };
    for (const message of [call, { jsonrpc: '2.0', id: 5, result: { action: 'accept' } }]) {
      expect((await t.post(message)).status).toBe(202);
    }
    expect(await mails()).toBe(before);
  });

  test('gives each of several calls with the same ID its own answer', async () => {
    const amounts = [1, 2, 3, 4];
    const answers = await Promise.all(
      amounts.map((n) => t.post(legacyCall('mail.send', { ...MAIL, to: `ann+${n}@example.org` }, 'same'))),
    );
    for (const [n, { body }] of answers.entries()) {
      expect(body).toMatchObject({
        id: 'same',
        result: { structuredContent: { accepted: [`ann+${amounts[n]}@example.org`] } },
      });
    }
  });

  test('refuses a forged cursor', async () => {
    for (const cursor of ['', '!!', 'bm90aGluZw==']) {
      const { body } = await t.post({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { cursor } });
      expect(body).toMatchObject({ error: { code: -32602 } });
    }
  });

  test.each([
    ['an unknown revision', { 'mcp-protocol-version': '2031-01-01' }],
    ['a revision other than the message’s', { 'mcp-protocol-version': '2026-07-28' }],
  ])('refuses %s in the header', async (_what, headers) => {
    const before = await mails();
    expect((await t.post(legacyCall('mail.send', MAIL), { headers })).status).toBe(400);
    expect(await mails()).toBe(before);
  });
});

describe('an MCP session', () => {
  test('is unknown if its ID was forged, altered or issued to another credential', async () => {
    const mine = await initialise({ elicitation: { url: {} } });
    const other = await t.addAgent({ name: 'session thief' });
    const theirs = await initialise({}, other.key);
    const before = await mails();
    const altered = `${mine.slice(0, -2)}${mine.endsWith('AA') ? 'BB' : 'AA'}`;
    for (const session of [theirs, altered, 'made-up', mine.slice(1)]) {
      const answer = await t.post(legacyCall('mail.send', MAIL), { headers: { 'mcp-session-id': session } });
      expect(answer.status).toBe(404);
    }
    expect(await mails()).toBe(before);
    expect(
      (await t.post(legacyCall('mail.send', MAIL), { headers: { 'mcp-session-id': mine } })).status,
    ).toBe(200);
  });

  test('asks a client to open a URL only if that client has the capability', async () => {
    for (const capabilities of [{}, { elicitation: {} }, { elicitation: { form: {} }, sampling: {} }]) {
      const session = await initialise(capabilities);
      const call = legacyCall('payments.refund', { ...REFUND, charge: `ch_${JSON.stringify(capabilities)}` });
      const { text } = await t.post(call, { headers: { 'mcp-session-id': session } });
      expect(text).toContain('"status":"pending"');
      expect(text).not.toContain('elicitation/create');
    }
  });

  test('ignores an answer from another session, or to a question that was not asked', async () => {
    const mine = await initialise({ elicitation: { url: {} } });
    const others = await initialise({ elicitation: { url: {} } });
    const charge = 'ch_unheard';
    const call = legacyCall('payments.refund', { ...REFUND, charge }, 5);
    const response = await fetch(t.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${t.first.agent_key}`,
        'mcp-session-id': mine,
      },
      body: JSON.stringify(call),
    });
    const reader = (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader();
    const { value = '' } = await reader.read();
    const question = JSON.parse(/^data: (.*)$/m.exec(value)?.[1] ?? '{}') as { id: string; method: string };
    expect(question.method).toBe('elicitation/create');
    const refusal = { jsonrpc: '2.0', id: question.id, result: { action: 'decline' } };
    for (const [message, session] of [
      [refusal, others],
      [{ ...refusal, id: 'req_made_up' }, mine],
    ] as const) {
      expect((await t.post(message, { headers: { 'mcp-session-id': session } })).status).toBe(202);
    }
    // If the gate had accepted one of these messages, the call would have ended.
    await t.post({ jsonrpc: '2.0', id: 6, method: 'ping' }, { headers: { 'mcp-session-id': mine } });
    expect((await t.post(refusal, { headers: { 'mcp-session-id': mine } })).status).toBe(202);
    const { value: end = '' } = await reader.read();
    expect(end).toContain('"status":"pending"');
  });

  test('ends only its own call when it is sent a cancellation', async () => {
    const mine = await initialise({});
    const others = await initialise({});
    const { body } = await t.post(legacyCall('payments.refund', { ...REFUND, charge: 'ch_cancel' }), {});
    const { structuredContent } = body.result as {
      structuredContent: { connector_request_id: string; intent_id: string };
    };
    const given = { connector_request_id: structuredContent.connector_request_id, wait_seconds: 45 };
    const held = t.post(legacyCall('permitry.result', given, 77), { headers: { 'mcp-session-id': mine } });
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 77 } };
    await expect.poll(() => t.wakeups.waiting).toBe(1);
    await t.post(cancelled, { headers: { 'mcp-session-id': others } });
    await t.post(cancelled);
    expect(t.wakeups.waiting).toBe(1);
    await t.post(cancelled, { headers: { 'mcp-session-id': mine } });
    expect((await held).body).toMatchObject({ result: { structuredContent: { status: 'pending' } } });
  });

  test('removes a call once it was answered or its client disconnected', async () => {
    const begin = vi.spyOn(CallsUnderWay.prototype, 'begin');
    const headers = { 'mcp-session-id': await initialise({}) };
    for (let id = 1; id <= 3; id += 1) {
      const { status } = await t.post({ jsonrpc: '2.0', id, method: 'tools/list' }, { headers });
      expect(status).toBe(200);
    }
    const { body } = await t.post(legacyCall('payments.refund', { ...REFUND, charge: 'ch_gone' }), {
      headers,
    });
    const { structuredContent } = body.result as { structuredContent: { connector_request_id: string } };
    const given = { connector_request_id: structuredContent.connector_request_id, wait_seconds: 45 };
    const leaving = new AbortController();
    const gone = fetch(t.url, {
      method: 'POST',
      signal: leaving.signal,
      headers: {
        ...headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${t.first.agent_key}`,
      },
      body: JSON.stringify(legacyCall('permitry.result', given, 78)),
    }).then((response) => response.text());
    const left = expect(gone).rejects.toThrow();
    await expect.poll(() => t.wakeups.waiting).toBe(1);
    leaving.abort();
    await left;
    const under = begin.mock.contexts[0] as CallsUnderWay | undefined;
    begin.mockRestore();
    await expect.poll(() => under?.count).toBe(0);
  });
});

describe('the request state', () => {
  async function asked(charge: string): Promise<{ given: object; requestState: string; intentId: string }> {
    const given = { ...REFUND, charge };
    const { result } = await modernCall('payments.refund', given);
    expect(result).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) });
    const intentId = String(result?.inputRequests.approval.params.url.split('/').at(-1));
    return { given, requestState: String(result?.requestState), intentId };
  }
  const opened = { approval: { action: 'accept' } };

  async function refunds(charge: string): Promise<number> {
    return (await t.done('payments')).filter(
      ({ arguments: given }) => (given as typeof REFUND).charge === charge,
    ).length;
  }

  test('is sealed, so it reveals nothing', async () => {
    const { requestState, intentId } = await asked('ch_sealed');
    expect(Buffer.from(requestState, 'base64url').toString('latin1')).not.toContain(intentId);
    expect(requestState).not.toContain('crq_');
  });

  test('is refused if it was forged, altered or issued to another credential, and nothing is run', async () => {
    const { given, requestState, intentId } = await asked('ch_thief');
    await t.approve(intentId);
    const thief = await t.addAgent({ name: 'state thief' });
    const altered = `${requestState.slice(0, -3)}AAA`;
    for (const [state, key] of [
      [requestState, thief.key],
      [altered, t.first.agent_key],
      ['made-up', t.first.agent_key],
      ['', t.first.agent_key],
      [`${requestState}.${requestState}`, t.first.agent_key],
    ] as const) {
      const { error } = await modernCall('payments.refund', given, {
        key,
        more: { requestState: state, inputResponses: opened },
      });
      expect(error).toMatchObject({ code: -32602, data: { reason: 'invalid_request_state' } });
    }
    expect(await refunds('ch_thief')).toBe(0);
  });

  test('is refused with a call other than its own', async () => {
    const { given, requestState, intentId } = await asked('ch_other');
    await t.approve(intentId);
    for (const [tool, other] of [
      ['payments.refund', { ...given, amount: 9999 }],
      ['mail.send', MAIL],
    ] as const) {
      const { error } = await modernCall(tool, other, { more: { requestState, inputResponses: opened } });
      expect(error).toMatchObject({ code: -32602 });
    }
    expect(await refunds('ch_other')).toBe(0);
  });

  test('gives the same answer again after its call was run, and nothing is run twice', async () => {
    const { given, requestState, intentId } = await asked('ch_again');
    await t.approve(intentId);
    const more = { requestState, inputResponses: opened };
    const first = await modernCall('payments.refund', given, { more });
    expect(first.result?.structuredContent).toMatchObject({ status: 'refunded' });
    const many = await Promise.all([1, 2, 3].map(() => modernCall('payments.refund', given, { more })));
    for (const { result } of many) expect(result).toEqual(first.result);
    expect(await refunds('ch_again')).toBe(1);
  });

  test('does not run a call that is not approved, whatever answer the client sends', async () => {
    const { given, requestState, intentId } = await asked('ch_claim');
    const more = {
      requestState,
      inputResponses: { approval: { action: 'decline' }, approved: { action: 'accept' } },
    };
    const { result } = await modernCall('payments.refund', given, { more });
    expect(result?.structuredContent).toMatchObject({ status: 'pending', intent_id: intentId });
    expect(await refunds('ch_claim')).toBe(0);
  });
});
