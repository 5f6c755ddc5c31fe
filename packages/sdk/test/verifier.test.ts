/** Verifying permits offline, with permits of a real gate, forged ones, and a gate whose keys come and go. */
import { createPrivateKey } from 'node:crypto';
import { hashJson, type JsonObject } from '@permitry/protocol';
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { FORGED_PERMITS, forgePermit } from '../../protocol/test-data/forged-permits.ts';
import {
  ConnectionError,
  createMemoryReplayStore,
  createVerifier,
  PermitRefusedError,
  Permitry,
  type VerifierOptions,
} from '../src/index.ts';
import {
  answer,
  type Flaw,
  type FlawedWay,
  loseRequest,
  openFlawedWay,
  refuse,
} from './fixtures/open-flawed-way.ts';
import { type ServedGate, serveGate } from './fixtures/serve-gate.ts';

const ACTION = 'refund';
const params = { order: 'A-1', amount: 1.0, lines: [{ sku: 'é', n: -0 }] };
const ALLOW_ALL = [{ name: 'all', match: { action: '*' }, effect: 'allow' }];

describe('permits of a real gate', () => {
  let served: ServedGate;
  let agent: Permitry;
  beforeAll(async () => {
    served = await serveGate({ mode: 'live', rules: ALLOW_ALL });
    agent = new Permitry({ baseUrl: served.url, apiKey: served.first.agent_key });
  });
  afterAll(() => served.close());

  const verifierOf = (more: Partial<VerifierOptions> = {}) =>
    createVerifier({ issuer: served.url, audience: served.projectId, ...more });

  it('authorise exactly their action and parameters, in any order of members', async () => {
    const { id, permit } = await agent.intents.create({ action: ACTION, params });
    const token = permit?.token ?? '';
    const verifier = verifierOf();
    const reordered = { lines: [{ n: 0, sku: 'é' }], amount: 1, order: 'A-1' };
    const verified = await verifier.verify({ token, action: ACTION, params: reordered });
    expect(verified).toMatchObject({
      intent_id: id,
      requested_by: served.first.agent_id,
      approved_by: 'policy:all',
      mode: 'live',
      expires_at: permit?.expires_at,
      params_hash: hashJson(params),
      claims: { txn: id, aud: served.projectId },
    });
    const others: [string, JsonObject, string][] = [
      ['refunds', params, 'action_mismatch'],
      [ACTION, { ...params, amount: 2 }, 'params_mismatch'],
      [ACTION, { ...params, more: null }, 'params_mismatch'],
      [ACTION, { ...params, order: 'a-1' }, 'params_mismatch'],
    ];
    for (const [action, given, reason] of others) {
      const refused = await verifier
        .verify({ token, action, params: given })
        .catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(PermitRefusedError);
      expect(refused).toMatchObject({ reason });
    }
  });

  it('are refused by verifiers of other gates and projects, and receipts by all', async () => {
    const { id, permit } = await agent.intents.create({ action: ACTION, params });
    const presented = { token: permit?.token ?? '', action: ACTION, params };
    const jwksUrl = `${served.url}/.well-known/jwks.json`;
    for (const other of [
      { audience: 'prj_00000000000000000000000000' },
      { issuer: 'https://elsewhere.example', jwksUrl },
    ]) {
      await expect(verifierOf(other).verify(presented)).rejects.toMatchObject({ reason: 'wrong_project' });
    }
    const { receipt_v2 } = await agent.request<{ receipt_v2: { jws: string } }>('GET', `/api/intents/${id}`);
    const receipt = { ...presented, token: receipt_v2.jws };
    await expect(verifierOf().verify(receipt)).rejects.toMatchObject({ reason: 'not_a_permit' });
  });

  it('still pass offline after changes that only the gate knows', async () => {
    const { permit } = await agent.intents.create({ action: ACTION, params });
    const presented = { token: permit?.token ?? '', action: ACTION, params };
    await agent.permits.consume(presented);
    expect(await verifierOf().verify(presented)).toMatchObject({ action: ACTION });
  });
});

describe('permits of a project in test mode', () => {
  it('are refused unless the verifier accepts test permits, and name their mode', async () => {
    const served = await serveGate({ rules: ALLOW_ALL });
    try {
      const agent = new Permitry({ baseUrl: served.url, apiKey: served.first.agent_key });
      const { permit } = await agent.intents.create({ action: ACTION, params });
      const presented = { token: permit?.token ?? '', action: ACTION, params };
      const options = { issuer: `${served.url}/`, audience: served.projectId };
      await expect(createVerifier(options).verify(presented)).rejects.toMatchObject({
        reason: 'wrong_project',
        message: expect.stringContaining('acceptTestPermits'),
      });
      const lenient = createVerifier({ ...options, acceptTestPermits: true });
      expect((await lenient.verify(presented)).mode).toBe('test');
    } finally {
      await served.close();
    }
  });
});

/** A gate's keys on a test server. */
describe('cached keys', () => {
  const ISSUER = 'https://gate.example.com';
  const AUDIENCE = `prj_${'7'.repeat(26)}`;
  const JWKS = 'GET /.well-known/jwks.json';

  interface SigningKey {
    kid: string;
    jwk: JsonObject;
    private: CryptoKey;
  }

  let way: FlawedWay;
  let first: SigningKey;
  let second: SigningKey;
  beforeAll(async () => {
    [first, second] = [await newKey(), await newKey()];
  });
  beforeEach(async () => {
    way = await openFlawedWay();
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await way.close();
  });

  async function newKey(): Promise<SigningKey> {
    const pair = await generateKeyPair('ES256', { extractable: true });
    const jwk = await exportJWK(pair.publicKey);
    const kid = await calculateJwkThumbprint(jwk);
    return { kid, jwk: { ...(jwk as JsonObject), kid, alg: 'ES256', use: 'sig' }, private: pair.privateKey };
  }

  const now = () => Math.floor(Date.now() / 1000);

  function sign(key: SigningKey, more: JsonObject = {}): Promise<string> {
    const id = (prefix: string) => `${prefix}_${'0'.repeat(26)}`;
    const hash = hashJson(params);
    const claims = {
      iss: ISSUER,
      aud: AUDIENCE,
      sub: id('agt'),
      jti: id('pmt'),
      iat: now(),
      nbf: now(),
      exp: now() + 300,
      txn: id('int'),
      action: ACTION,
      params_hash: hash,
      intent_hash: hash,
      policy_hash: hash,
      proof_tier: 'session',
      approval: { by: ['ann@example.org'], at: new Date().toISOString(), method: 'session' },
      ...more,
    };
    const header = { alg: 'ES256', typ: 'permit+jwt', kid: key.kid };
    return new SignJWT(claims).setProtectedHeader(header).sign(key.private);
  }

  function publish(keys: SigningKey[], headers: Record<string, string> = {}): void {
    way.next(JWKS, answer(200, { keys: keys.map(({ jwk }) => jwk) }, headers));
  }

  const verifierOf = (more: Partial<VerifierOptions> = {}) =>
    createVerifier({
      issuer: ISSUER,
      audience: AUDIENCE,
      jwksUrl: `${way.url}/.well-known/jwks.json`,
      ...more,
    });

  const presented = async (key: SigningKey, more: JsonObject = {}) => ({
    token: await sign(key, more),
    action: ACTION,
    params,
  });

  const realNow = performance.now.bind(performance);

  /** Moves the clock that counts ages ahead of the real one. */
  function advance(seconds: number): void {
    vi.spyOn(performance, 'now').mockImplementation(() => realNow() + seconds * 1000);
  }

  it('are fetched once for any number of callers, without a credential, and kept as long as their headers say', async () => {
    publish([first], { 'cache-control': 'public, max-age=300' });
    const verifier = verifierOf();
    const one = await presented(first);
    await Promise.all(Array.from({ length: 20 }, () => verifier.verify(one)));
    expect(way.seen).toHaveLength(1);
    expect(way.seen[0]?.headers.authorization).toBeUndefined();
    advance(299);
    await verifier.verify(one);
    expect(way.seen).toHaveLength(1);
    publish([first]);
    advance(301);
    await verifier.verify(one);
    expect(way.seen).toHaveLength(2);
  });

  it.each([
    ['max-age=0', 29, 31],
    ['no-store', 29, 31],
    ['public, max-age=31536000, immutable', 3599, 3601],
    ['max-age=600', 569, 571],
  ])('have a bounded age for cache-control: %s', async (control, stillKept, askedAgain) => {
    publish([first], { 'cache-control': control, age: '30' });
    publish([first]);
    const verifier = verifierOf();
    const one = await presented(first);
    await verifier.verify(one);
    advance(stillKept);
    await verifier.verify(one);
    expect(way.seen).toHaveLength(1);
    advance(askedAgain);
    await verifier.verify(one);
    expect(way.seen).toHaveLength(2);
  });

  it('are fetched again for an unknown key ID, but not for every invented one', async () => {
    publish([first]);
    publish([first, second]);
    const verifier = verifierOf();
    await verifier.verify(await presented(first));
    const unknown = await presented(second);
    // The keys were fetched a moment ago, so an unknown key does not cause another fetch.
    await expect(verifier.verify(unknown)).rejects.toMatchObject({ reason: 'unknown_key' });
    expect(way.seen).toHaveLength(1);
    advance(31);
    await verifier.verify(unknown);
    expect(way.seen).toHaveLength(2);
    const madeUp = await presented({ ...first, kid: 'made-up' });
    for (let time = 0; time < 10; time += 1)
      await expect(verifier.verify(madeUp)).rejects.toMatchObject({ reason: 'unknown_key' });
    expect(way.seen).toHaveLength(2);
  });

  it('become invalid at the next fetch after the gate removed them', async () => {
    publish([first], { 'cache-control': 'max-age=60' });
    publish([second]);
    const verifier = verifierOf();
    const one = await presented(first);
    await verifier.verify(one);
    advance(61);
    await expect(verifier.verify(one)).rejects.toMatchObject({ reason: 'unknown_key' });
  });

  it('stay valid for an hour while the gate is unreachable, and no longer', async () => {
    publish([first], { 'cache-control': 'max-age=60' });
    way.next(JWKS, ...Array.from({ length: 20 }, () => refuse(503, 'service_unavailable')));
    const verifier = verifierOf();
    const one = await presented(first);
    await verifier.verify(one);
    advance(61);
    for (let time = 0; time < 10; time += 1) await verifier.verify(one);
    // One fetch fails, and no other follows during the pause.
    expect(way.seen).toHaveLength(2);
    advance(3601);
    await expect(verifier.verify(one)).rejects.toBeInstanceOf(ConnectionError);
  });

  it('do not block verification when a refetch hangs', async () => {
    publish([first], { 'cache-control': 'max-age=60' });
    let isGivenUp = false;
    const hang: Flaw = (response) => {
      response.once('close', () => {
        isGivenUp = true;
      });
    };
    way.next(JWKS, ...Array.from({ length: 20 }, () => hang));
    const verifier = verifierOf();
    const one = await presented(first);
    await verifier.verify(one);
    advance(61);
    for (let time = 0; time < 10; time += 1) {
      await verifier.verify(one);
      expect(isGivenUp).toBe(false);
    }
    await expect.poll(() => way.seen).toHaveLength(2);
  });

  it('are not accepted from the target of a redirect', async () => {
    const elsewhere = await openFlawedWay();
    elsewhere.next(JWKS, answer(200, { keys: [second.jwk] }));
    way.next(JWKS, answer(302, '', { location: `${elsewhere.url}/.well-known/jwks.json` }));
    await expect(verifierOf().verify(await presented(second))).rejects.toBeInstanceOf(ConnectionError);
    expect(elsewhere.seen).toHaveLength(0);
    await elsewhere.close();
  });

  it('are read only up to a maximum length', async () => {
    const page = 'x'.repeat(64 * 1024);
    let sent = 0;
    let isLeft = false;
    way.next(JWKS, (response) => {
      response.once('close', () => {
        isLeft = true;
      });
      const more = (): void => {
        sent += page.length;
        if (sent > 50_000_000) response.end();
        else if (!isLeft && response.write(page)) setImmediate(more);
        else if (!isLeft) response.once('drain', more);
      };
      more();
    });
    await expect(verifierOf().verify(await presented(first))).rejects.toBeInstanceOf(ConnectionError);
    await expect.poll(() => isLeft).toBe(true);
    expect(sent).toBeLessThan(10_000_000);
  });

  it.each([
    ['nobody answers', loseRequest],
    ['a gate that fails', refuse(500, 'internal_error')],
    ['a redirect', answer(302, '', { location: 'https://elsewhere.example/' })],
    ['a page of HTML', answer(200, '<h1>Hello</h1>')],
    ['another document', answer(200, { data: [] })],
    ['an endless body', answer(200, `{"keys":[]${' '.repeat(300_000)}}`)],
  ])('are unavailable with %s, and then no permit passes', async (_, flaw) => {
    way.next(JWKS, flaw);
    await expect(verifierOf().verify(await presented(first))).rejects.toBeInstanceOf(ConnectionError);
  });

  it('may include keys of other kinds without harm', async () => {
    const odd = [
      null,
      'key',
      { kty: 'RSA', kid: 'r' },
      { ...first.jwk, use: 'enc' },
      { ...first.jwk, x: 'AA' },
    ];
    way.next(JWKS, answer(200, { keys: [...odd, second.jwk] }));
    const verifier = verifierOf();
    await verifier.verify(await presented(second));
    await expect(verifier.verify(await presented(first))).rejects.toMatchObject({ reason: 'unknown_key' });
  });

  it('are the only trusted keys: every forged permit is refused for its reason', async () => {
    publish([first]);
    const verifier = verifierOf({ clockSkewSeconds: 0 });
    const gateKey = createPrivateKey({
      key: (await crypto.subtle.exportKey('jwk', first.private)) as Record<string, string>,
      format: 'jwk',
    });
    const { token } = await presented(first);
    for (const forgery of FORGED_PERMITS) {
      const forged = forgePermit(forgery, { token, gateKey, now: now() });
      const reason = await verifier.verify({ token: forged, action: ACTION, params }).then(
        () => null,
        (error: PermitRefusedError) => error.reason,
      );
      expect({ forgery: forgery.name, reason }).toEqual({ forgery: forgery.name, reason: forgery.expected });
    }
    expect(FORGED_PERMITS.length).toBeGreaterThan(50);
  });

  it('are not needed to refuse parameters that are not JSON', async () => {
    publish([first]);
    const verifier = verifierOf();
    const one = await presented(first);
    const withUndefined = { ...params, note: undefined } as never;
    expect(await verifier.verify({ ...one, params: withUndefined })).toMatchObject({ action: ACTION });
    for (const odd of [{ at: new Date() }, { n: Number.NaN }, undefined]) {
      const verifying = verifier.verify({ ...one, params: odd as never });
      await expect(verifying).rejects.toBeInstanceOf(TypeError);
    }
    for (const other of [[1], null, 'text']) {
      const verifying = verifier.verify({ ...one, params: other as never });
      await expect(verifying).rejects.toMatchObject({ reason: 'params_mismatch' });
    }
  });

  describe('a verifier with a clock difference', () => {
    it.each([
      ['has expired within the allowed difference', { nbf: -300, exp: -20 }, undefined, null],
      ['has expired beyond the allowed difference', { nbf: -300, exp: -40 }, undefined, 'expired'],
      ['begins within the allowed difference', { nbf: 20, exp: 300 }, undefined, null],
      ['begins beyond the allowed difference', { nbf: 40, exp: 300 }, undefined, 'not_yet_valid'],
      ['has expired, with no difference allowed', { nbf: -300, exp: -2 }, 0, 'expired'],
      ['begins in an hour, with a large difference allowed', { nbf: 3600, exp: 3900 }, 300, 'not_yet_valid'],
    ])('judges a permit that %s', async (_, times, clockSkewSeconds, reason) => {
      publish([first]);
      const verifier = verifierOf({ clockSkewSeconds });
      const at = now();
      const claims = { iat: at + times.nbf, nbf: at + times.nbf, exp: at + times.exp };
      const verifying = verifier.verify(await presented(first, claims));
      if (reason === null) expect(await verifying).toMatchObject({ action: ACTION });
      else await expect(verifying).rejects.toMatchObject({ reason });
    });
  });

  describe('single use', () => {
    it('requires a replay store, and says so', async () => {
      const consuming = verifierOf().consume(await presented(first));
      await expect(consuming).rejects.toThrow(/replayStore/);
      expect(way.seen).toHaveLength(0);
    });

    it('is granted to one of many callers, by intent and not by permit', async () => {
      publish([first]);
      const replayStore = createMemoryReplayStore();
      const executors = [verifierOf({ replayStore }), verifierOf({ replayStore })];
      publish([first]);
      const fresh = await presented(first, { jti: `pmt_${'1'.repeat(26)}` });
      const all = [await presented(first), fresh];
      const tries = executors.flatMap((executor) => all.map((permit) => executor.consume(permit)));
      const settled = await Promise.allSettled([
        ...tries,
        ...tries.map((_, at) => executors[at % 2]?.consume(fresh)),
      ]);
      const won = settled.filter(({ status }) => status === 'fulfilled');
      expect(won).toHaveLength(1);
      const refused = settled.filter((result) => result.status === 'rejected');
      expect(new Set(refused.map(({ reason }) => reason.reason))).toEqual(new Set(['already_used']));
    });

    it('is not claimed by an invalid permit', async () => {
      publish([first]);
      const verifier = verifierOf({ replayStore: createMemoryReplayStore() });
      const one = await presented(first);
      const wrong = verifier.consume({ ...one, action: 'other' });
      await expect(wrong).rejects.toMatchObject({ reason: 'action_mismatch' });
      expect(await verifier.consume(one)).toMatchObject({ action: ACTION });
    });

    it('is remembered for as long as the intent can have permits', async () => {
      publish([first]);
      const claim = vi.fn().mockResolvedValue(true);
      await verifierOf({ replayStore: { claim } }).consume(await presented(first));
      const [key, keepUntil] = claim.mock.calls[0] as [string, Date];
      expect(key).toBe(`${ISSUER} int_${'0'.repeat(26)}`);
      expect(keepUntil.getTime() - Date.now()).toBeGreaterThan(30 * 24 * 3_600_000);
    });

    it.each([
      ['fails', () => Promise.reject(new Error('the store is away')), /the store is away/],
      ['returns something else', () => Promise.resolve('OK' as never), /already used/],
    ])('is refused when the store %s', async (_, claim, message) => {
      publish([first]);
      const verifier = verifierOf({ replayStore: { claim } });
      await expect(verifier.consume(await presented(first))).rejects.toThrow(message);
    });
  });

  it.each([
    { issuer: 'gate' },
    { audience: '' },
    { clockSkewSeconds: -1 },
    { clockSkewSeconds: 3600 },
    { clockSkewSeconds: Number.NaN },
    { jwksUrl: 'jwks' },
  ])('options that make no sense are refused: %j', (more) => {
    expect(() => verifierOf(more)).toThrow(TypeError);
  });
});

describe('the replay store in memory', () => {
  it('accepts a key again after its time', () => {
    const store = createMemoryReplayStore();
    expect(store.claim('a', new Date(Date.now() - 1))).toBe(true);
    expect(store.claim('a', new Date(Date.now() + 60_000))).toBe(true);
    expect(store.claim('a', new Date(Date.now() + 60_000))).toBe(false);
  });

  it('forgets expired entries when it is full, and otherwise throws instead of forgetting', () => {
    const store = createMemoryReplayStore({ maxEntries: 2 });
    const later = new Date(Date.now() + 60_000);
    store.claim('ended', new Date(Date.now() - 1));
    store.claim('a', later);
    expect(store.claim('b', later)).toBe(true);
    expect(() => store.claim('c', later)).toThrow(/full/);
    expect(store.claim('a', later)).toBe(false);
  });
});
