/** Every possible course of a call, driven by the official client in both revisions. */
import { type CallToolResult, ProtocolError } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MAIL, REFUND, RULES } from '../gateway/open-gateway.ts';
import { openMcp, REVISIONS, structureOf, type TestMcp, wordsOf } from './open-mcp.ts';

let t: TestMcp;
beforeAll(async () => {
  t = await openMcp();
});
afterAll(() => t.close());
beforeEach(() => t.setPolicy(RULES));

let refunds = 0;
/** Arguments that no other test uses. */
function newRefund(): typeof REFUND {
  refunds += 1;
  return { ...REFUND, charge: `ch_of_test_${refunds}` };
}

async function done(charge: string): Promise<number> {
  return (await t.done('payments')).filter((record) => (record.arguments as typeof REFUND).charge === charge)
    .length;
}

describe.each(REVISIONS)('a client of %s', (revision) => {
  test('lists the protected tools and the gate’s own', async () => {
    const client = await t.connect(revision);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'permitry.result',
      'permitry.withdraw',
      'database.delete_rows',
      'deploy.production',
      'files.delete',
      'iam.grant_role',
      'mail.send',
      'payments.refund',
    ]);
    const refund = tools.find(({ name }) => name === 'payments.refund');
    expect(refund).toMatchObject({
      title: 'Refund a payment',
      inputSchema: { type: 'object', required: ['charge', 'amount', 'currency'] },
      annotations: { destructiveHint: true },
    });
    expect(refund?.outputSchema).toBeUndefined();
  });

  test('gets the result at once if policy allows the call', async () => {
    const client = await t.connect(revision);
    const result = (await client.callTool({ name: 'mail.send', arguments: MAIL })) as CallToolResult;
    expect(result.isError).toBeFalsy();
    expect(result._meta).toMatchObject({ 'permitry/status': 'executed' });
    const [record] = await t.done('mail');
    expect(record).toMatchObject({ intent_id: result._meta?.['permitry/intent_id'], arguments: MAIL });
    expect(JSON.parse(wordsOf(result))).toEqual(result.structuredContent);
  });

  test('runs an allowed call twice if it calls twice', async () => {
    const client = await t.connect(revision);
    const free = { ...newRefund(), amount: 1 };
    await client.callTool({ name: 'payments.refund', arguments: free });
    const again = (await client.callTool({ name: 'payments.refund', arguments: free })) as CallToolResult;
    expect(again._meta).not.toHaveProperty('permitry/joined');
    expect(await done(free.charge)).toBe(2);
  });

  test('reads why policy denied a call, and nothing is run', async () => {
    const client = await t.connect(revision);
    const before = await t.done('database');
    const result = (await client.callTool({
      name: 'database.delete_rows',
      arguments: { table: 'orders', ids: ['1'] },
    })) as CallToolResult;
    expect(result.isError).toBe(true);
    expect(wordsOf(result)).toContain('Not by an agent.');
    expect(structureOf(result)).toMatchObject({
      status: 'refused',
      error: { code: 'policy_violation', rule: 'rows stay' },
    });
    expect(await t.done('database')).toEqual(before);
  });

  test('reads how to fetch the result of a pending call, and fetches it after the approval', async () => {
    const client = await t.connect(revision);
    const refund = newRefund();
    const asked = (await client.callTool({ name: 'payments.refund', arguments: refund })) as CallToolResult;
    const pending = structureOf(asked);
    expect(asked.isError).toBeFalsy();
    expect(pending).toEqual({
      status: 'pending',
      connector_request_id: expect.stringMatching(/^crq_/),
      intent_id: expect.stringMatching(/^int_/),
      approval_url: `http://localhost:4000/approve/${pending.intent_id}`,
      expires_at: expect.any(String),
    });
    expect(wordsOf(asked)).toContain(
      `permitry.result with connector_request_id "${pending.connector_request_id}"`,
    );
    const again = { connector_request_id: pending.connector_request_id as string, wait_seconds: 0 };
    const open = (await client.callTool({ name: 'permitry.result', arguments: again })) as CallToolResult;
    expect(structureOf(open)).toEqual(pending);
    expect(await done(refund.charge)).toBe(0);
    await t.approve(pending.intent_id);
    const result = (await client.callTool({ name: 'permitry.result', arguments: again })) as CallToolResult;
    expect(structureOf(result)).toMatchObject({ status: 'refunded', charge: refund.charge });
    // A repeated request gets the same answer, and nothing is run a second time.
    const repeated = (await client.callTool({ name: 'permitry.result', arguments: again })) as CallToolResult;
    expect(repeated).toEqual(result);
    expect(await done(refund.charge)).toBe(1);
  });

  test('waits with permitry.result, and gets the result when a person approves', async () => {
    const client = await t.connect(revision);
    const refund = newRefund();
    const { intent_id, connector_request_id } = structureOf(
      (await client.callTool({ name: 'payments.refund', arguments: refund })) as CallToolResult,
    );
    const held = client.callTool({ name: 'permitry.result', arguments: { connector_request_id } });
    await t.approve(intent_id);
    expect(structureOf((await held) as CallToolResult)).toMatchObject({ status: 'refunded' });
    expect(await done(refund.charge)).toBe(1);
  });

  test('is held if it asks for progress, and is sent the approval link', async () => {
    const client = await t.connect(revision);
    const refund = newRefund();
    const told: string[] = [];
    const result = (await client.callTool(
      { name: 'payments.refund', arguments: refund },
      {
        onprogress: ({ message = '' }) => {
          told.push(message);
          t.approve(/\/approve\/(\S+)$/.exec(message)?.[1]).catch(() => {});
        },
      },
    )) as CallToolResult;
    expect(told[0]).toMatch(/http:\/\/localhost:4000\/approve\/int_/);
    expect(structureOf(result)).toMatchObject({ status: 'refunded' });
    expect(await done(refund.charge)).toBe(1);
  });

  test('gets a log message with the approval link at its chosen level, if its revision has logging', async () => {
    const client = await t.connect(revision);
    const heard: unknown[] = [];
    client.setNotificationHandler('notifications/message', ({ params }) => {
      heard.push(params);
    });
    const callHeld = async (): Promise<void> => {
      const onprogress = ({ message = '' }): void => {
        t.approve(/\/approve\/(\S+)$/.exec(message)?.[1]).catch(() => {});
      };
      await client.callTool({ name: 'payments.refund', arguments: newRefund() }, { onprogress });
    };
    await callHeld();
    const told = { level: 'info', logger: 'permitry', data: expect.stringContaining('/approve/int_') };
    expect(heard).toEqual(revision === '2025-11-25' ? [told] : []);
    if (revision !== '2025-11-25') return;
    await client.setLoggingLevel('warning');
    await callHeld();
    expect(heard).toHaveLength(1);
  });

  test('causes nothing to run if it gives up while it is held, even if a person approves later', async () => {
    const client = await t.connect(revision);
    const refund = newRefund();
    const giveUp = new AbortController();
    let intentId: string | undefined;
    const held = client.callTool(
      { name: 'payments.refund', arguments: refund },
      {
        signal: giveUp.signal,
        onprogress: ({ message = '' }) => {
          intentId = /\/approve\/(\S+)$/.exec(message)?.[1];
          giveUp.abort();
        },
      },
    );
    await expect(held).rejects.toThrow();
    // The cancellation has arrived once a later request on the connection was answered.
    await client.listTools();
    await t.approve(intentId);
    await client.listTools();
    expect(await done(refund.charge)).toBe(0);
    // The approval is not lost: a repeated call uses it.
    const result = (await client.callTool({ name: 'payments.refund', arguments: refund })) as CallToolResult;
    expect(result._meta).toMatchObject({ 'permitry/joined': true, 'permitry/intent_id': intentId });
    expect(await done(refund.charge)).toBe(1);
  });

  test('joins a pending call when it repeats it, and the answer says so', async () => {
    const client = await t.connect(revision);
    const refund = newRefund();
    const call = { name: 'payments.refund', arguments: refund };
    const first = structureOf((await client.callTool(call)) as CallToolResult);
    const second = (await client.callTool(call)) as CallToolResult;
    expect(structureOf(second)).toEqual(first);
    expect(wordsOf(second)).toMatch(
      /It will be run once, not twice\..*call it again when this call is finished/s,
    );
    await t.approve(first.intent_id);
    const third = (await client.callTool(call)) as CallToolResult;
    expect(structureOf(third)).toMatchObject({ status: 'refunded' });
    expect(wordsOf(third)).toContain('It was run once for both.');
    // The next call is a new request and needs a new approval.
    const fourth = structureOf((await client.callTool(call)) as CallToolResult);
    expect(fourth.status).toBe('pending');
    expect(fourth.intent_id).not.toBe(first.intent_id);
    expect(await done(refund.charge)).toBe(1);
  });

  test('reads the reason of a denial, and the same call is not requested again for ten minutes', async () => {
    const client = await t.connect(revision);
    const call = { name: 'payments.refund', arguments: newRefund() };
    const { intent_id, connector_request_id } = structureOf((await client.callTool(call)) as CallToolResult);
    const denied = await t.call('POST', `/v1/intents/${intent_id}/deny`, {
      key: t.owner.token,
      body: { reason: 'Ask for the order number first.' },
    });
    expect(denied.status).toBe(200);
    for (const asked of [call, { name: 'permitry.result', arguments: { connector_request_id } }, call]) {
      const result = (await client.callTool(asked)) as CallToolResult;
      expect(result.isError).toBe(true);
      expect(wordsOf(result)).toContain('Ask for the order number first.');
      expect(structureOf(result)).toMatchObject({ error: { code: 'intent_denied', intent_id } });
    }
    t.clock.advance(601);
    expect(structureOf((await client.callTool(call)) as CallToolResult)).toMatchObject({ status: 'pending' });
  });

  test('withdraws a call, and can request it again afterwards', async () => {
    const client = await t.connect(revision);
    const call = { name: 'payments.refund', arguments: newRefund() };
    const { intent_id, connector_request_id } = structureOf((await client.callTool(call)) as CallToolResult);
    const taken = { name: 'permitry.withdraw', arguments: { connector_request_id } };
    expect(structureOf((await client.callTool(taken)) as CallToolResult)).toMatchObject({
      status: 'withdrawn',
    });
    expect(await t.intent(intent_id)).toMatchObject({ status: 'denied', reason: 'withdrawn' });
    const anew = structureOf((await client.callTool(call)) as CallToolResult);
    expect(anew.status).toBe('pending');
    expect(anew.intent_id).not.toBe(intent_id);
  });

  test('reads which arguments are wrong, and nothing is requested', async () => {
    const client = await t.connect(revision);
    const result = (await client.callTool({
      name: 'payments.refund',
      arguments: { charge: 'ch_1', amount: 'much', currency: 'EUR' },
    })) as CallToolResult;
    expect(result.isError).toBe(true);
    expect(structureOf(result)).toMatchObject({ error: { code: 'invalid_request' } });
    expect(wordsOf(result)).toContain('/arguments/amount');
    const own = (await client.callTool({
      name: 'permitry.result',
      arguments: { id: 'x' },
    })) as CallToolResult;
    expect(structureOf(own)).toMatchObject({ status: 'refused', error: { code: 'invalid_request' } });
  });

  test('gets a protocol error for an unknown tool, and for a paused agent', async () => {
    const client = await t.connect(revision);
    const unknown = client.callTool({ name: 'no.such.tool', arguments: {} });
    await expect(unknown).rejects.toMatchObject({ code: -32602, data: { code: 'not_found' } });
    const agent = await t.addAgent({ name: `paused-${revision}` });
    const paused = await t.connect(revision, { key: agent.key });
    await t.call('POST', `/v1/projects/${t.projectId}/agents/${agent.agent.id}/pause`, {
      key: t.owner.token,
      body: {},
    });
    const error = await paused
      .callTool({ name: 'mail.send', arguments: MAIL })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ProtocolError);
    expect(error).toMatchObject({
      code: -32000,
      data: { code: 'agent_paused', request_id: expect.any(String) },
    });
  });

  test('does not see another agent’s call', async () => {
    const client = await t.connect(revision);
    const refund = newRefund();
    const call = { name: 'payments.refund', arguments: refund };
    const { intent_id, connector_request_id } = structureOf((await client.callTool(call)) as CallToolResult);
    await t.approve(intent_id);
    const other = await t.connect(revision, { key: (await t.addAgent({ name: `other-${revision}` })).key });
    for (const name of ['permitry.result', 'permitry.withdraw']) {
      const result = (await other.callTool({ name, arguments: { connector_request_id } })) as CallToolResult;
      expect(result.isError).toBe(true);
      expect(structureOf(result)).toMatchObject({ error: { code: 'not_found' } });
    }
    // The same arguments make a separate call for another agent.
    const own = structureOf((await other.callTool(call)) as CallToolResult);
    expect(own.status).toBe('pending');
    expect(own.intent_id).not.toBe(intent_id);
    expect(await done(refund.charge)).toBe(0);
  });

  test('reads that a tool failed', async () => {
    const client = await t.connect(revision);
    const result = (await client.callTool({
      name: 'payments.refund',
      arguments: { ...REFUND, amount: 1, charge: 'ch_declined' },
    })) as CallToolResult;
    expect(result.isError).toBe(true);
    expect(wordsOf(result)).toContain('declined by the bank');
  });
});

describe('a client that can send its user to a URL', () => {
  test('is asked to do so in 2026-07-28, and its repeated call gets the result', async () => {
    const opened: string[] = [];
    const client = await t.connect('2026-07-28', {
      onUrl: async (url) => {
        opened.push(url);
        await t.approve(url.split('/').at(-1));
        return 'accept' as const;
      },
    });
    const refund = newRefund();
    const result = (await client.callTool({ name: 'payments.refund', arguments: refund })) as CallToolResult;
    expect(opened).toEqual([expect.stringMatching(/^http:\/\/localhost:4000\/approve\/int_/)]);
    expect(structureOf(result)).toMatchObject({ status: 'refunded' });
    expect(await done(refund.charge)).toBe(1);
  });

  test.each(
    REVISIONS.flatMap((revision) => (['decline', 'cancel'] as const).map((action) => ({ revision, action }))),
  )('keeps its call pending in $revision if the user answers $action', async ({ revision, action }) => {
    let asked = 0;
    const client = await t.connect(revision, {
      onUrl: () => {
        asked += 1;
        return action;
      },
    });
    const result = (await client.callTool({
      name: 'payments.refund',
      arguments: newRefund(),
    })) as CallToolResult;
    expect(asked).toBe(1);
    expect(structureOf(result)).toMatchObject({ status: 'pending' });
    expect(await t.intent(structureOf(result).intent_id)).toMatchObject({ status: 'pending' });
  });

  test('is asked to do so in the stream of its call in 2025-11-25, and the call then continues by itself', async () => {
    const opened: string[] = [];
    const client = await t.connect('2025-11-25', {
      onUrl: async (url) => {
        opened.push(url);
        await t.approve(url.split('/').at(-1));
        return 'accept' as const;
      },
    });
    const completed: unknown[] = [];
    client.setNotificationHandler('notifications/elicitation/complete', ({ params }) => {
      completed.push(params.elicitationId);
    });
    const refund = newRefund();
    const result = (await client.callTool({ name: 'payments.refund', arguments: refund })) as CallToolResult;
    expect(opened).toEqual([expect.stringMatching(/^http:\/\/localhost:4000\/approve\/int_/)]);
    expect(structureOf(result)).toMatchObject({ status: 'refunded' });
    expect(completed).toEqual([result._meta?.['permitry/connector_request_id']]);
    expect(await done(refund.charge)).toBe(1);
  });
});
