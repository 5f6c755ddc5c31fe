/**
 * When a signing key is stolen, all its signatures become invalid and are listed, and the gate continues with another
 * key.
 */
import { createSecretKey, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyAuditExport } from '@permitry/protocol';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { exportAudit } from '../../src/gate/audit/export-audit.ts';
import { verifyAudit } from '../../src/gate/audit/verify-audit.ts';
import { createProject } from '../../src/gate/projects/create-project.ts';
import { KeyFolder } from '../../src/keys/key-folder.ts';
import { KEYS_IN_CLEAR_FILES } from '../../src/keys/key-settings.ts';
import { openSigningKeys } from '../../src/keys/signing-keys.ts';
import { openGate } from '../../src/open-gate.ts';
import { initialiseGate } from '../../src/people/initialise-gate.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';
import { type KeysOfGate, keysOf } from './keys-of.ts';

let t: TestApp;
let keys: KeysOfGate;
beforeEach(async () => {
  t = await openTestApp();
  keys = keysOf(t.gate);
});
afterEach(() => t.close());

const REFUND = { action: 'payments.refund', params: { amount: 120 } };

interface Approved {
  id: string;
  token: string;
  receipt: Record<string, unknown>;
}

async function approve(): Promise<Approved> {
  const { body } = await t.call('POST', '/v1/intents', { key: t.first.agent_key, body: REFUND });
  const id = String(body.id);
  await t.call('POST', `/v1/intents/${id}/approve`, { key: t.first.secret_key, body: {} });
  const read = await t.call('GET', `/api/intents/${id}`, { key: t.first.agent_key });
  return { id, token: String(read.body.permit_token), receipt: read.body.receipt_v2 as Approved['receipt'] };
}

function validate(token: string, consume = false) {
  return t.call('POST', '/v1/permits/validate', {
    key: t.first.verifier_key,
    body: { token, ...REFUND, consume },
  });
}

function verifyOnA(body: object) {
  return t.call('POST', '/api/intents/permit/verify', {
    key: t.first.verifier_key,
    body: { ...body, action: REFUND.action, context: REFUND.params },
  });
}

async function publishedKids(): Promise<string[]> {
  const { body } = await t.call('GET', '/.well-known/jwks.json');
  return (body.keys as { kid: string }[]).map(({ kid }) => kid);
}

async function listSigned(query = '', key = t.first.secret_key) {
  return t.call('GET', `/v1/projects/${t.projectId}/signing-keys/receipts${query}`, { key });
}

describe('a compromised key', () => {
  test('leaves the key set at once, and another key signs', async () => {
    const { kid } = t.gate.tokens.signer.current;
    expect(await publishedKids()).toContain(kid);
    await keys.compromise(kid);
    expect(await publishedKids()).not.toContain(kid);
    const { token } = await approve();
    expect((await validate(token, true)).status).toBe(200);
  });

  test('ends its permits on the very next call, whether or not they were verified before', async () => {
    const { token } = await approve();
    expect((await validate(token)).status).toBe(200);
    const unseen = await approve();
    await keys.compromise(t.gate.tokens.signer.current.kid);
    for (const answer of [await validate(token), await validate(token, true), await validate(unseen.token)]) {
      expect(answer).toMatchObject({ status: 400, body: { error: { reason: 'unknown_key' } } });
    }
    expect(await verifyOnA({ permit_token: token })).toMatchObject({
      status: 400,
      body: { error: { code: 'INVALID_PERMIT', reason: 'unknown_key' } },
    });
    const { body } = await t.call('GET', '/v1/projects/none', { key: t.first.agent_key });
    expect(body).toHaveProperty('error');
  });

  test('ends its receipts, which are refused when presented and shown as revoked when read', async () => {
    const { id, receipt } = await approve();
    expect(receipt.revocation_status).toBe('active');
    expect((await verifyOnA({ receipt })).status).toBe(200);
    await keys.compromise(String(receipt.kid));
    expect(await verifyOnA({ receipt })).toMatchObject({
      status: 400,
      body: { error: { reason: 'unknown_key' } },
    });
    const read = await t.call('GET', `/api/intents/${id}`, { key: t.first.agent_key });
    expect(read.body.receipt_v2).toEqual({ ...receipt, revocation_status: 'revoked' });
  });

  test('leaves approvals valid, so a new permit needs no further approval', async () => {
    const { id, token } = await approve();
    await keys.compromise(t.gate.tokens.signer.current.kid);
    const fresh = await t.call('POST', `/v1/intents/${id}/permit`, { key: t.first.agent_key, body: {} });
    expect(fresh.status).toBeLessThan(300);
    const again = (fresh.body.permit as { token: string }).token;
    expect((await validate(token)).status).toBe(400);
    expect((await validate(again, true)).status).toBe(200);
  });

  test('does not affect what other keys signed', async () => {
    const { kid } = t.gate.tokens.signer.current;
    await keys.signer.rotate('operator', { early: true });
    const { token, receipt } = await approve();
    await keys.compromise(kid);
    expect((await validate(token)).status).toBe(200);
    expect((await verifyOnA({ receipt })).status).toBe(200);
  });

  test('stays compromised, and marking it again changes nothing', async () => {
    const { kid } = t.gate.tokens.signer.current;
    await keys.compromise(kid);
    const before = t.gate.tokens.signer.keys();
    t.clock.advance(60);
    await keys.compromise(kid);
    await keys.signer.rotate('operator', { early: true });
    await keys.signer.reload();
    expect(t.gate.tokens.signer.keys().find((key) => key.kid === kid)).toEqual(
      before.find((key) => key.kid === kid),
    );
    expect(await t.events(t.projectId, 'signing_key.compromised')).toHaveLength(1);
  });

  test('is replaced along with all other keys if none is named', async () => {
    const before = await publishedKids();
    const { token } = await approve();
    await keys.compromise();
    const after = await publishedKids();
    expect(after).toHaveLength(2);
    for (const kid of before) expect(after).not.toContain(kid);
    expect((await validate(token)).status).toBe(400);
    expect((await validate((await approve()).token)).status).toBe(200);
  });
});

test('a key marked compromised by hand in its file is gone as well, and the command records it afterwards', async () => {
  const { kid } = t.gate.tokens.signer.current;
  const { token } = await approve();
  const path = join(t.dataDir, 'keys', `${kid}.json`);
  const { d: _gone, ...key } = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify({ ...key, state: 'compromised' }), { mode: 0o600 });
  await keys.signer.reload();
  expect(await publishedKids()).not.toContain(kid);
  expect((await validate(token)).status).toBe(400);
  expect((await validate((await approve()).token)).status).toBe(200);
  for (const time of ['first', 'second']) {
    await keys.compromise(kid);
    expect(await t.events(t.projectId, 'signing_key.compromised'), time).toMatchObject([{ data: { kid } }]);
  }
});

describe('the list of what a compromised key signed', () => {
  test('refuses an invalid cursor instead of taking it for the end', async () => {
    await approve();
    await keys.compromise();
    expect(await listSigned('?cursor=x')).toMatchObject({
      status: 400,
      body: { error: { fields: [{ path: '/cursor' }] } },
    });
  });

  test('has the receipts and unused permits of the project, in pages and without tokens', async () => {
    const { kid } = t.gate.tokens.signer.current;
    const used = await approve();
    await validate(used.token, true);
    const unused = [await approve(), await approve()];
    await keys.signer.rotate('operator', { early: true });
    const later = await approve();
    await keys.compromise(kid);

    const pages: Record<string, unknown>[] = [];
    for (let cursor: unknown = ''; cursor !== null; ) {
      const { status, body, text } = await listSigned(`?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      expect(status).toBe(200);
      for (const { token } of [used, later, ...unused]) expect(text).not.toContain(token);
      pages.push(...(body.data as Record<string, unknown>[]));
      cursor = body.next_cursor;
    }
    expect(pages.map((row) => row.intent_id)).toEqual([unused[1]?.id, unused[0]?.id, used.id]);
    expect(pages.map((row) => row.unused_permit !== null)).toEqual([true, true, false]);
    expect(pages[2]).toEqual({
      intent_id: used.id,
      action: REFUND.action,
      approved_by: expect.any(String),
      approved_at: t.clock.now(),
      consumed_at: t.clock.now(),
      receipt: {
        receipt_id: used.receipt.receipt_id,
        revocation_status: 'revoked',
        receipt_expires_at: used.receipt.receipt_expires_at,
      },
      unused_permit: null,
    });
    // Any key can be named; without one, the list covers the compromised keys.
    expect((await listSigned(`?kid=${t.gate.tokens.signer.current.kid}`)).body.data).toMatchObject([
      { intent_id: later.id, receipt: { revocation_status: 'active' } },
    ]);
  });

  test('shows a renewed approval with a revoked receipt and no unused permit', async () => {
    const { kid } = t.gate.tokens.signer.current;
    const { id } = await approve();
    await keys.compromise(kid);
    await t.call('POST', `/v1/intents/${id}/permit`, { key: t.first.agent_key, body: {} });
    expect((await listSigned()).body.data).toMatchObject([
      { intent_id: id, receipt: { revocation_status: 'revoked' }, unused_permit: null },
    ]);
  });

  test('does not count an expired permit as unused', async () => {
    const { kid } = t.gate.tokens.signer.current;
    await approve();
    await keys.compromise(kid);
    t.clock.advance(300);
    expect((await listSigned()).body.data).toMatchObject([{ unused_permit: null }]);
  });

  test('answers 404 for an unknown key, and is refused to agents and verifiers', async () => {
    expect((await listSigned('?kid=nobody')).status).toBe(404);
    for (const key of [t.first.agent_key, t.first.verifier_key]) {
      expect((await listSigned('', key)).status).toBe(403);
    }
    const { body } = await t.call('GET', `/v1/projects/${t.projectId}/signing-keys`, {
      key: t.first.verifier_key,
    });
    expect((body.data as { state: string }[]).map(({ state }) => state)).toEqual(['next', 'active']);
  });
});

describe('the audit log', () => {
  test('of every project records rotations and compromises, and who caused them', async () => {
    const [first, second] = t.gate.tokens.signer.publicKeys().map(({ kid }) => kid);
    const { project: other } = await createProject(t.gate, OPERATOR, {
      name: 'Other',
      mode: 'live',
      ownerEmail: 'ann@example.org',
    });
    t.clock.advance(24 * 3600);
    await keys.signer.rotateIfDue(1);
    await keys.record();
    await keys.compromise(String(first), String(second));
    for (const projectId of [t.projectId, other.id]) {
      const events = await t.events(projectId, 'signing_key.rotated', 'signing_key.compromised');
      expect(events).toMatchObject([
        {
          type: 'signing_key.rotated',
          actor: { type: 'system', id: 'schedule' },
          data: { kid: second, previous_kid: first },
        },
        {
          type: 'signing_key.compromised',
          actor: { type: 'operator' },
          data: { kid: first, active_kid: t.gate.tokens.signer.current.kid },
        },
        { type: 'signing_key.compromised', data: { kid: second } },
      ]);
    }
  });

  test('keeps no chain head signed by a compromised key', async () => {
    await approve();
    expect(await verifyAudit(t.gate, OPERATOR, t.projectId)).toMatchObject({ valid: true });
    await keys.compromise(t.gate.tokens.signer.current.kid);
    expect(await verifyAudit(t.gate, OPERATOR, t.projectId)).toMatchObject({ valid: true });
    const lines = [];
    for await (const line of await exportAudit(t.gate, OPERATOR, t.projectId)) lines.push(line);
    const jwks = { keys: [...t.gate.tokens.signer.publicKeys()] };
    expect(await verifyAuditExport(lines, { jwks })).toMatchObject({ valid: true });
  });

  test('records a change once, at the next start, if the process died before recording it', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'permitry-keys-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const options = { database: { directory: dataDir }, issuer: 'http://localhost:4000', sealDelayMs: 1 };
    const first = await openGate(options);
    const { project_id: projectId } = await initialiseGate(first.gate, {
      mode: 'test',
      projectName: 'First',
      ownerEmail: 'owner@example.org',
    });
    const { kid } = first.signer.current;
    await first.signer.markCompromised([kid]);
    await first.close();
    expect(readFileSync(join(dataDir, 'keys', `${kid}.json`), 'utf8')).toContain('"unrecorded"');

    for (const start of ['second', 'third']) {
      const opened = await openGate(options);
      await opened.sealer.sealNow(projectId);
      const events = await opened.storage.read.listSealedEvents({
        projectId,
        types: ['signing_key.compromised'],
        order: 'asc',
        limit: 10,
      });
      expect(events, start).toHaveLength(1);
      await opened.close();
    }
    expect(readFileSync(join(dataDir, 'keys', `${kid}.json`), 'utf8')).not.toContain('"unrecorded"');
  });
});

describe('the signing status', () => {
  test('is unavailable at /readyz while the gate cannot sign, decisions get 503 and change nothing, and it recovers', async () => {
    const { body } = await t.call('POST', '/v1/intents', { key: t.first.agent_key, body: REFUND });
    const id = String(body.id);
    const approve = () => t.call('POST', `/v1/intents/${id}/approve`, { key: t.first.secret_key, body: {} });
    // Seals everything now, because later sealing would fail, and so would the test.
    await t.sealer.sealNow(t.projectId);
    // Another process replaced all keys, under a key-encryption key that this process does not have.
    const elsewhere = mkdtempSync(join(tmpdir(), 'permitry-keys-'));
    onTestFinished(() => rmSync(elsewhere, { recursive: true, force: true }));
    const { current } = await openSigningKeys({
      store: new KeyFolder(elsewhere),
      clock: t.clock,
      settings: { ...KEYS_IN_CLEAR_FILES, keyEncryptionKey: createSecretKey(randomBytes(32)) },
    });
    const name = `${current.kid}.json`;
    const strange = JSON.parse(readFileSync(join(elsewhere, 'keys', name), 'utf8'));
    writeFileSync(join(t.dataDir, 'keys', name), JSON.stringify({ ...strange, activation: 9 }), {
      mode: 0o600,
    });
    await expect(keys.signer.reload()).rejects.toThrow('PERMITRY_KEY_ENCRYPTION_KEY');

    expect(await t.call('GET', '/readyz')).toMatchObject({
      status: 503,
      body: { status: 'signer_unavailable' },
    });
    const refused = await approve();
    expect(refused).toMatchObject({ status: 503, body: { error: { code: 'service_unavailable' } } });
    expect(refused.headers['retry-after']).toBeDefined();
    expect(refused.text).not.toContain(current.kid);
    const read = await t.call('GET', `/v1/intents/${id}`, { key: t.first.agent_key });
    expect(read.body.status).toBe('pending');
    expect(keys.signer.stats().failures).toBeGreaterThan(0);

    rmSync(join(t.dataDir, 'keys', name));
    await keys.compromise(current.kid);
    expect((await t.call('GET', '/readyz')).status).toBe(200);
    expect((await approve()).body.status).toBe('approved');
  });

  test('includes since when the active key has been signing', async () => {
    const since = t.clock.now();
    t.clock.advance(90);
    expect(keys.signer.stats()).toEqual({ failures: 0, unreadableKeys: 0, activeSince: since });
    await keys.signer.rotate('operator', { early: true });
    expect(keys.signer.stats().activeSince).toBe(t.clock.now());
  });
});
