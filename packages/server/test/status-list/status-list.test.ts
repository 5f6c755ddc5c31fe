/** `GET /v1/status/:list`: anybody can read the status of a receipt, and nothing else. */
import {
  checkReceiptStatus,
  type PublicJwks,
  type Receipt,
  STATUS_LIST_TYP,
  verifyStatusListToken,
} from '@permitry/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pauseAgent, resumeAgent, revokeAgent } from '../../src/gate/agents/agent-status.ts';
import { eraseIntent } from '../../src/gate/erasure/erase-intent.ts';
import { decideIntent } from '../../src/gate/intents/decide.ts';
import { readIntent } from '../../src/gate/intents/read.ts';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { revokePermit } from '../../src/gate/permits/revoke.ts';
import { RECEIPTS_PER_STATUS_LIST } from '../../src/gate/tokens/status-slot.ts';
import { approvedIntent } from '../fixtures/approved-intent.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';
import { keysOf } from '../keys/keys-of.ts';
import { expectFields, expectRefusal } from '../surfaces/expect-refusal.ts';
import { openDocumentedApp } from '../surfaces/open-documented-app.ts';

const TYPE = 'application/statuslist+jwt';
const ISSUER = 'http://localhost:4000';

let t: TestApp;
beforeEach(async () => {
  t = await openDocumentedApp();
});
afterEach(() => t.close());

function get(list: number | string, headers: Record<string, string> = {}) {
  return t.call('GET', `/v1/status/${list}`, { headers });
}

async function receiptOf(intentId: string): Promise<Receipt> {
  const { receipt } = await readIntent(t.gate, t.secret, intentId);
  if (!receipt) throw new Error('an approved intent has a receipt');
  return receipt;
}

async function approvedReceipt(): Promise<Receipt> {
  return receiptOf((await approvedIntent(t)).id);
}

/** Checks as a client that has only the receipt, the key set and a way to fetch. */
async function check(receipt: Receipt) {
  const jwks = JSON.parse((await t.call('GET', '/.well-known/jwks.json')).text) as PublicJwks;
  const fetchList = async (uri: string) => {
    const answer = await get(uri.replace(`${ISSUER}/v1/status/`, ''), { accept: TYPE });
    if (answer.status !== 200) throw new Error(`${uri} answered ${answer.status}`);
    return answer.text;
  };
  const now = Date.parse(t.clock.now()) / 1000;
  const checked = await checkReceiptStatus(receipt.jws, fetchList, { jwks, issuer: ISSUER, now });
  return checked.ok ? 'active' : checked.reason;
}

function claimsOf(jws: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString());
}

describe('a status list token', () => {
  it('has the form of the draft, is signed by the receipt key, and says how long it is valid', async () => {
    const receipt = await approvedReceipt();
    const answer = await get(0);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe(TYPE);
    const header = JSON.parse(Buffer.from(answer.text.split('.')[0] ?? '', 'base64url').toString());
    expect(header).toEqual({ alg: 'ES256', typ: STATUS_LIST_TYP, kid: receipt.kid });
    const iat = Math.floor(Date.parse(t.clock.now()) / 1000);
    expect(claimsOf(answer.text)).toEqual({
      iss: ISSUER,
      sub: `${ISSUER}/v1/status/0`,
      iat,
      exp: iat + 300,
      ttl: 60,
      status_list: { bits: 2, lst: expect.stringMatching(/^[\w-]+$/) },
    });
    expect(claimsOf(receipt.jws).status).toEqual({ status_list: { idx: 0, uri: `${ISSUER}/v1/status/0` } });
  });

  it('is short, and as long with one receipt as with many', async () => {
    await approvedReceipt();
    const answer = await get(0);
    const jwks = { keys: [...t.gate.tokens.signer.publicKeys()] };
    const now = Date.parse(t.clock.now()) / 1000;
    const verified = await verifyStatusListToken(answer.text, {
      jwks,
      issuer: ISSUER,
      uri: `${ISSUER}/v1/status/0`,
      now,
    });
    expect(verified.ok && verified.list.size).toBe(RECEIPTS_PER_STATUS_LIST);
    expect(answer.text.length).toBeLessThan(1000);
    const before = claimsOf(answer.text).status_list;
    await approvedReceipt();
    t.clock.advance(61);
    expect(claimsOf((await get(0)).text).status_list).toEqual(before);
  });

  it('needs no key, and ignores a wrong one', async () => {
    await approvedReceipt();
    const headers = { authorization: 'Bearer prm_secret_test_wrong' };
    expect((await get(0, headers)).status).toBe(200);
  });
});

describe('the status of a receipt', () => {
  it('is suspended while its agent is paused, and active again afterwards', async () => {
    const receipt = await approvedReceipt();
    const agent = { projectId: t.projectId, agentId: t.agentId };
    expect(await check(receipt)).toBe('active');
    await pauseAgent(t.gate, t.owner.caller, agent);
    expect(await check(receipt)).toBe('suspended');
    await resumeAgent(t.gate, t.owner.caller, agent);
    expect(await check(receipt)).toBe('active');
    await revokeAgent(t.gate, t.owner.caller, agent);
    expect(await check(receipt)).toBe('revoked');
  });

  it('stays revoked while its agent is paused', async () => {
    const { id } = await approvedIntent(t);
    const untouched = await approvedReceipt();
    await revokePermit(t.gate, t.secret, { target: { intentId: id } });
    await pauseAgent(t.gate, t.owner.caller, { projectId: t.projectId, agentId: t.agentId });
    expect(await check(await receiptOf(id))).toBe('revoked');
    expect(await check(untouched)).toBe('suspended');
  });

  it('is not affected by other agents', async () => {
    const receipt = await approvedReceipt();
    const { agent } = await t.addAgent({ name: 'another-bot' });
    await pauseAgent(t.gate, t.owner.caller, { projectId: t.projectId, agentId: agent.id });
    expect(await check(receipt)).toBe('active');
  });

  it('is suspended within seconds if the receipt is issued while its agent is paused', async () => {
    const { intent } = await submitIntent(t.gate, t.agent, { action: 'mail.send', params: {} });
    await approvedReceipt();
    await pauseAgent(t.gate, t.owner.caller, { projectId: t.projectId, agentId: t.agentId });
    await get(0);
    await decideIntent(t.gate, t.secret, { intentId: intent.id, decision: 'approve' });
    t.clock.advance(5);
    expect(await check(await receiptOf(intent.id))).toBe('suspended');
  });

  it('is unknown once the status list has expired', async () => {
    const receipt = await approvedReceipt();
    const old = (await get(0)).text;
    await revokePermit(t.gate, t.secret, { target: { intentId: receipt.intent_id } });
    const jwks = { keys: [...t.gate.tokens.signer.publicKeys()] };
    const iat = Number(claimsOf(old).iat);
    const at = (now: number) =>
      checkReceiptStatus(receipt.jws, async () => old, { jwks, issuer: ISSUER, now });
    expect(await at(iat + 299)).toMatchObject({ ok: true });
    expect(await at(iat + 300)).toEqual({ ok: false, reason: 'status_unknown' });
  });
});

describe('a cached status list token', () => {
  it('is served until something changes or its ttl is over', async () => {
    const { id } = await approvedIntent(t);
    const first = await get(0);
    expect(first.headers['cache-control']).toBe('public, max-age=60');
    t.clock.advance(45);
    const second = await get(0);
    expect(second.text).toBe(first.text);
    expect(second.headers['cache-control']).toBe('public, max-age=15');
    await revokePermit(t.gate, t.secret, { target: { intentId: id } });
    const third = await get(0);
    expect(third.text).not.toBe(first.text);
    expect(third.headers['cache-control']).toBe('public, max-age=60');
    t.clock.advance(60);
    expect((await get(0)).text).not.toBe(third.text);
  });

  it('is renewed within seconds while an agent is paused, but only if its list still gets receipts', async () => {
    await approvedReceipt();
    await pauseAgent(t.gate, t.owner.caller, { projectId: t.projectId, agentId: t.agentId });
    const filling = await get(0);
    t.clock.advance(5);
    expect((await get(0)).text).not.toBe(filling.text);
    // Indexes are assigned in blocks, so the last index of a list may be assigned after the next list has begun.
    await t.storage.transaction((tx) => tx.skipToReceiptIndex(2 * RECEIPTS_PER_STATUS_LIST + 1));
    t.clock.advance(5);
    const full = await get(0);
    t.clock.advance(45);
    expect((await get(0)).text).toBe(full.text);
    await resumeAgent(t.gate, t.owner.caller, { projectId: t.projectId, agentId: t.agentId });
    expect((await get(0)).text).not.toBe(full.text);
  });

  it('does not live longer when the clock is set back', async () => {
    await approvedReceipt();
    const first = await get(0);
    t.clock.advance(-3600);
    const second = await get(0);
    expect(Number(claimsOf(second.text).exp)).toBe(Number(claimsOf(first.text).exp) - 3600);
  });

  it('is signed once for many concurrent requests', async () => {
    await approvedReceipt();
    const answers = await Promise.all(Array.from({ length: 20 }, () => get(0)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  it('is answered with 304 to a client that has it, and with 200 once it changes', async () => {
    const { id } = await approvedIntent(t);
    const etag = String((await get(0)).headers.etag);
    for (const tag of [etag, `W/${etag}`, `"x", ${etag}`]) {
      const answer = await get(0, { 'if-none-match': tag });
      expect([answer.status, answer.text]).toEqual([304, '']);
      expect(answer.headers.etag).toBe(etag);
    }
    expect((await get(0, { 'if-none-match': '"x"' })).status).toBe(200);
    await revokePermit(t.gate, t.secret, { target: { intentId: id } });
    expect((await get(0, { 'if-none-match': etag })).status).toBe(200);
  });

  it('is answered to HEAD as to GET, without the list', async () => {
    const undocumented = await openTestApp();
    await approvedIntent(undocumented);
    const answer = await undocumented.call('HEAD', '/v1/status/0');
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(answer.headers['content-type']).toBe(TYPE);
    await undocumented.close();
  });
});

describe('a request for a status list is refused', () => {
  it('if no receipt can refer to the list, or its number is not valid', async () => {
    expectRefusal(await get(0), 404, 'not_found');
    await approvedReceipt();
    expect((await get(0)).status).toBe(200);
    for (const list of ['1', '00', '-1', '0.0', '1e0', 'x', '999999999', '9'.repeat(30), '0x0', '%30%00']) {
      expectRefusal(await get(list), 404, 'not_found');
    }
  });

  it('if the client does not accept the token’s media type, and answered if it does', async () => {
    await approvedReceipt();
    for (const accept of [
      'application/statuslist+cwt',
      'application/json, text/html;q=0.9',
      `${TYPE};q=0, */*`,
      'application/*;q=0',
    ]) {
      expectRefusal(await get(0, { accept }), 406, 'not_acceptable');
    }
    for (const accept of [
      TYPE,
      '*/*',
      'application/*',
      `text/html, ${TYPE};q=0.1`,
      'APPLICATION/STATUSLIST+JWT',
    ]) {
      const answer = await get(0, { accept });
      expect([answer.status, answer.headers.vary]).toEqual([200, 'accept']);
    }
  });

  it('if it asks for the past, or has an unknown parameter', async () => {
    await approvedReceipt();
    expectRefusal(await get('0?time=1686925000'), 404, 'not_found');
    expectFields(await get('0?agent=x'), 'invalid_request', '/agent');
  });

  it('if it is a POST', async () => {
    expectRefusal(await t.call('POST', '/v1/status/0', { body: {} }), 404, 'not_found');
  });
});

it('receipts signed by a stolen key read as revoked, even to clients that still trust the key', async () => {
  const stolen = await approvedReceipt();
  const { id: erasedId } = await approvedIntent(t);
  const erased = await receiptOf(erasedId);
  await revokePermit(t.gate, t.secret, { target: { intentId: erasedId } });
  await eraseIntent(t.gate, t.owner.caller, { projectId: t.projectId, intentId: erasedId });
  await get(0);
  const before = t.gate.tokens.signer.publicKeys();
  await keysOf(t.gate).compromise(stolen.kid);
  const fresh = await approvedReceipt();
  const jwks = { keys: [...before, ...t.gate.tokens.signer.publicKeys()] };
  const now = Date.parse(t.clock.now()) / 1000;
  const token = (await get(0)).text;
  const reasons = await Promise.all(
    [stolen, erased, fresh].map(({ jws }) =>
      checkReceiptStatus(jws, async () => token, { jwks, issuer: ISSUER, now }),
    ),
  );
  expect(reasons).toMatchObject([{ reason: 'revoked' }, { reason: 'revoked' }, { ok: true }]);
  // The gate found these receipts once and remembers them, so later lists show the same.
  t.clock.advance(120);
  await get(0);
  t.clock.advance(120);
  const later = { jwks, issuer: ISSUER, now: now + 240 };
  const again = await checkReceiptStatus(stolen.jws, async () => (await get(0)).text, later);
  expect(again).toEqual({ ok: false, reason: 'revoked' });
});

it('after a restore, positions in the status list that the backup does not know read as revoked', async () => {
  const known = await approvedReceipt();
  const last = claimsOf(known.jws).status as { status_list: { idx: number } };
  await t.storage.transaction((tx) => tx.skipToReceiptIndex(RECEIPTS_PER_STATUS_LIST * 1_800_000_000));
  const statusAt = async (idx: number) => {
    const jwks = { keys: [...t.gate.tokens.signer.publicKeys()] };
    const now = Date.parse(t.clock.now()) / 1000;
    const uri = `${ISSUER}/v1/status/0`;
    const verified = await verifyStatusListToken((await get(0)).text, { jwks, issuer: ISSUER, uri, now });
    return verified.ok ? verified.list.get(idx) : undefined;
  };
  expect(await check(known)).toBe('active');
  expect(await statusAt(last.status_list.idx)).toBe(0);
  expect(await statusAt(last.status_list.idx + 1)).toBe(1);
  expect(await statusAt(RECEIPTS_PER_STATUS_LIST - 1)).toBe(1);
  // None of the lists in between exists, however many there are.
  for (const list of [1, 1_799_999_999, 1_800_000_000]) expectRefusal(await get(list), 404, 'not_found');
  await Promise.all(Array.from({ length: 1023 }, () => t.gate.tokens.receiptIndexes.next()));
  const fresh = await approvedReceipt();
  expect(claimsOf(fresh.jws).status).toMatchObject({
    status_list: { uri: `${ISSUER}/v1/status/1800000000` },
  });
  expect(await check(fresh)).toBe('active');
});

it('receipts continue in a second status list once the first is full', async () => {
  await t.storage.transaction((tx) => tx.reserveReceiptIndexes(RECEIPTS_PER_STATUS_LIST - 1024));
  const first = await approvedReceipt();
  // The block that was reserved first ends inside the first list; the next block is in the second list.
  await Promise.all(Array.from({ length: 1023 }, () => t.gate.tokens.receiptIndexes.next()));
  const second = await approvedReceipt();
  const slots = [first, second].map(({ jws }) => claimsOf(jws).status);
  expect(slots).toEqual([
    { status_list: { idx: RECEIPTS_PER_STATUS_LIST - 1024, uri: `${ISSUER}/v1/status/0` } },
    { status_list: { idx: 0, uri: `${ISSUER}/v1/status/1` } },
  ]);
  await revokePermit(t.gate, t.secret, { target: { intentId: second.intent_id } });
  expect([await check(first), await check(second)]).toEqual(['active', 'revoked']);
  expectRefusal(await get(2), 404, 'not_found');
});
