/** Threat 7: whatever is no permit of this gate, to the last character, is refused through HTTP, with its reason. */
import { createPrivateKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Receipt, verifyReceiptOffline } from '@permitry/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  FORGED_PERMITS,
  type ForgersKit,
  forgePermit,
} from '../../packages/protocol/test-data/forged-permits.ts';
import { withClient } from '../../packages/server/test/fixtures/postgres/create-template.ts';
import { SoftwareDeviceKey } from '../../packages/server/test/fixtures/software-device-key.ts';
import { expectOfEach } from './expect-of-each.ts';
import { type Arena, openArena } from './open-arena.ts';
import { expectInvalidPermit, expectRefused, idOf, permitOf } from './surfaces.ts';

/** The table's reason is that of a verifier who knows the token alone; the gate remembers what it approved. */
const TO_THE_GATE: Readonly<Record<string, string>> = {
  'params_hash of other parameters': 'tampered',
  'another action': 'tampered',
};

const ACTION = 'payments.refund';
const PARAMS = { amount: 5 };

describe.each(['live', 'test'] as const)('in %s mode', (mode) => {
  let t: Arena;
  let kit: ForgersKit;
  let id: string;
  beforeAll(async () => {
    t = await openArena({ mode });
    id = await approvedIntent();
    kit = {
      token: permitOf(await t.surfaces[0].read(t.first.agent_key, id)),
      gateKey: readGateKey(t.dataDir),
      now: Math.floor(Date.parse(t.clock.now()) / 1000),
    };
  });
  afterAll(() => t.close());

  async function approvedIntent(): Promise<string> {
    const intent = idOf(await t.surfaces[0].create(t.first.agent_key, ACTION, PARAMS));
    expect((await t.surfaces[0].approve(t.owner, intent)).status).toBe(200);
    return intent;
  }

  const shown = (token: string) => ({ token, action: ACTION, params: PARAMS });

  it('the genuine permit passes, so what follows fails for its forgery', async () => {
    for (const surface of t.surfaces) {
      for (const key of [t.first.verifier_key, t.first.agent_key, t.first.secret_key]) {
        const answer = await t.expectUnchanged(() => surface.verify(key, shown(kit.token)));
        expect(answer.body).toMatchObject({ valid: true, authorizes: true, intent_id: id });
      }
    }
  });

  const forgeries = FORGED_PERMITS.map((forgery) => [forgery.name, forgery] as const);
  const refused = forgeries.filter(([, { expected }]) => expected !== null);
  it('a forged permit is refused with its reason', () =>
    expectOfEach(refused, async (_name, forgery) => {
      const token = forgePermit(forgery, kit);
      for (const surface of t.surfaces) {
        for (const consume of [false, true]) {
          const answer = await t.expectUnchanged(() =>
            surface.verify(t.first.verifier_key, { ...shown(token), consume }),
          );
          expectInvalidPermit(surface.name, answer, TO_THE_GATE[forgery.name] ?? forgery.expected ?? '');
          expect(answer.body).not.toHaveProperty('valid');
        }
      }
    }));

  const twins = forgeries.filter(([, { expected }]) => expected === null);
  it('another text of the same permit brings no second use', () =>
    expectOfEach(twins, async (_name, forgery) => {
      const intent = await approvedIntent();
      const token = permitOf(await t.surfaces[0].read(t.first.agent_key, intent));
      const twin = forgePermit(forgery, { ...kit, token });
      const [a, b] = t.surfaces;
      expect((await a.verify(t.first.verifier_key, { ...shown(twin), consume: true })).body.consumed).toBe(
        true,
      );
      for (const again of [token, twin]) {
        const answer = await t.expectUnchanged(() =>
          b.verify(t.first.verifier_key, { ...shown(again), consume: true }),
        );
        expectInvalidPermit('B', answer, 'already_used');
      }
    }));

  it('receipts, heads of the audit chain, signatures of device keys and keys are no permits', async () => {
    const read = await t.surfaces[0].read(t.first.agent_key, id);
    const audit = await t.call('GET', `/v1/projects/${t.projectId}/audit/verify`, {
      key: t.first.secret_key,
    });
    const receipt = (read.body.receipt_v2 as { jws: string }).jws;
    const head = (audit.body.head as { jws: string }).jws;
    for (const surface of t.surfaces) {
      for (const token of [receipt, head, new SoftwareDeviceKey().prove('A'.repeat(43))]) {
        for (const consume of [false, true]) {
          const answer = await t.expectUnchanged(() =>
            surface.verify(t.first.verifier_key, { ...shown(token), consume }),
          );
          expectInvalidPermit(surface.name, answer, 'not_a_permit');
        }
      }
      for (const token of [
        t.first.secret_key,
        id,
        'null',
        '{}',
        '..',
        'a.b.c',
        '\u0000',
        'ÿ'.repeat(300),
        '',
        'x'.repeat(200_000),
        ['a', 'b', 'c'].map((part) => part.repeat(50_000)).join('.'),
        'hello, world',
        `${kit.token}${'A'.repeat(200_000)}`,
      ]) {
        const answer = await t.expectUnchanged(() => surface.verify(t.first.verifier_key, shown(token)));
        expectInvalidPermit(surface.name, answer, 'malformed');
      }
    }
  });

  it('a permit is no receipt, and a receipt authorises nothing, whatever is made of it', async () => {
    const verify = (body: object) =>
      t.call('POST', '/api/intents/permit/verify', { key: t.first.verifier_key, body });
    const read = await t.surfaces[0].read(t.first.agent_key, id);
    const receipt = read.body.receipt_v2 as Record<string, unknown>;
    const bound = { action: ACTION, context: PARAMS };
    expectInvalidPermit(
      'A',
      await t.expectUnchanged(() => verify({ receipt: kit.token, ...bound })),
      'malformed',
    );
    const genuine = await t.expectUnchanged(() => verify({ receipt, ...bound }));
    expect(genuine.body).toMatchObject({ valid: true, bound: true, authorizes: false, consumed: false });
    for (const [changed, reason] of [
      [{ ...receipt, action: 'payments.payout' }, 'tampered'],
      [{ ...receipt, approved_by: 'somebody@example.org' }, 'tampered'],
      [{ ...receipt, extra: 1 }, 'tampered'],
      [{ ...receipt, params_hash: undefined }, 'tampered'],
      [{ ...receipt, jws: `${receipt.jws}`.replace(/.$/, '') }, 'malformed'],
      [{ ...receipt, jws: kit.token }, 'malformed'],
      [{ ...receipt, jws: undefined }, 'malformed'],
      [{}, 'malformed'],
    ] as const) {
      expectInvalidPermit('A', await t.expectUnchanged(() => verify({ receipt: changed, ...bound })), reason);
    }
    expectRefused(
      'A',
      await t.expectUnchanged(() => verify({ receipt, ...bound, consume: true })),
      400,
      'INVALID_FIELDS',
    );
    const both = { receipt, permit_token: kit.token, ...bound };
    expectRefused('A', await t.expectUnchanged(() => verify(both)), 400, 'INVALID_FIELDS');
  });

  it('a permit re-signed by the gate’s own key for another intent, or with an id never given out, counts as revoked', async () => {
    const other = idOf(await t.surfaces[0].create(t.first.agent_key, ACTION, PARAMS));
    const forge = (claims: Record<string, unknown>) =>
      forgePermit({ name: '', expected: '', source: '', sign: 'gate', claims: { set: claims } }, kit);
    for (const [claims, reason] of [
      [{ txn: other }, 'revoked'],
      [{ txn: 'int_01hzzzzzzzzzzzzzzzzzzzzzzz' }, 'revoked'],
      [{ jti: 'pmt_01hzzzzzzzzzzzzzzzzzzzzzzz' }, 'revoked'],
    ] as const) {
      for (const surface of t.surfaces) {
        const answer = await t.expectUnchanged(() =>
          surface.verify(t.first.verifier_key, { ...shown(forge(claims)), consume: true }),
        );
        expectInvalidPermit(surface.name, answer, reason);
      }
    }
  });

  it('what was altered where it is stored convinces nobody, and is listed as ever', async () => {
    const altered = await approvedIntent();
    const read = async () => (await t.surfaces[0].read(t.first.agent_key, altered)).body;
    const verify = (body: object) =>
      t.call('POST', '/api/intents/permit/verify', { key: t.first.verifier_key, body });
    const genuine = await read();
    await alterDatabase(
      `update issued set token = replace(token, '${ACTION}', 'payments.payout'),
      receipt = replace(receipt, '${ACTION}', 'payments.payout')
      where receipt_index = (select receipt_index from intents where id = '${altered}')`,
    );
    const found = await read();
    const receipt = found.receipt_v2 as Receipt;
    expect(receipt.action).toBe('payments.payout');
    const jwks = { keys: [...t.gate.tokens.signer.publicKeys()] };
    const now = Date.parse(t.clock.now()) / 1000;
    for (const form of [receipt, receipt.jws]) {
      const told = await verifyReceiptOffline(form, { jwks, issuer: t.gate.issuer, now });
      expect(told).toEqual({ ok: false, reason: 'tampered' });
    }
    for (const body of [
      { receipt },
      { receipt: receipt.jws },
      { receipt: genuine.receipt_v2 },
      { receipt: (genuine.receipt_v2 as Receipt).jws },
      { permit_token: found.permit_token, action: 'payments.payout', context: PARAMS },
    ]) {
      expectInvalidPermit('A', await t.expectUnchanged(() => verify(body)), 'tampered');
    }
    const list = await t.call('GET', '/api/intents?status=resolved', { key: t.first.secret_key });
    expect(list.body.intents).toContainEqual(expect.objectContaining({ id: altered }));
  });

  async function alterDatabase(statement: string): Promise<void> {
    if ('url' in t.database) {
      await withClient(t.database.url, (client) => client.query(statement));
      return;
    }
    const file = new DatabaseSync(t.databaseFile);
    file.exec(statement);
    file.close();
  }
});

/** As whoever got at the data directory would: a forgery is only worth trying when it is signed correctly. */
function readGateKey(dataDir: string): KeyObject {
  const folder = join(dataDir, 'keys');
  const keys = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as JsonWebKey & { state: string });
  const active = keys.find(({ state }) => state === 'active');
  if (!active) throw new Error('no active key');
  const { kty, crv, x, y, d } = active as Record<'kty' | 'crv' | 'x' | 'y' | 'd', string>;
  return createPrivateKey({ key: { kty, crv, x, y, d }, format: 'jwk' });
}
