/**
 * Verifiers that cache the key set for as long as the gate allows, while the gate rotates its keys under load. HTTP is
 * real, and only the clock is set by the test.
 */
import type { AddressInfo } from 'node:net';
import { epochSeconds, type PublicJwks, verifyPermitOffline } from '@permitry/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addSeconds } from '../../src/gate/kernel/instant.ts';
import { JWKS_MAX_AGE_SECONDS } from '../../src/gate/kernel/signer.ts';
import { NextKeyTooYoungError } from '../../src/keys/next-key-too-young-error.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';
import { keysOf } from './keys-of.ts';

const ALLOW_ALL = {
  name: 'free',
  default: { approvers: ['role:approver'], min_approvals: 1 },
  rules: [{ name: 'all is free', match: { action: '*' }, effect: 'allow' }],
};
const TICK_SECONDS = 60;
const MINUTES = 50;
const PERMITS_PER_TICK = 5;

let t: TestApp;
let url = '';
beforeEach(async () => {
  t = await openTestApp({ logLevel: 'silent', config: { rateLimitPerMinute: 0 } });
  await t.app.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${(t.app.server.address() as AddressInfo).port}`;
  const answer = await send('PUT', `/v1/projects/${t.projectId}/policies`, t.first.secret_key, ALLOW_ALL);
  expect(answer).toMatchObject({ status: 200 });
});
afterEach(() => t.close());

async function send(method: string, path: string, key: string, body: unknown) {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** Caches the key set for the whole `max-age`, even if it meets an unknown key. */
class CachingVerifier {
  #cached: { jwks: Promise<PublicJwks>; until: string } | undefined;
  fetched = 0;

  #jwks(): Promise<PublicJwks> {
    if (!this.#cached || t.clock.now() >= this.#cached.until) {
      // Cached from the moment of the request: later keys are not in it.
      const kept = { jwks: this.#fetch(), until: addSeconds(t.clock.now(), JWKS_MAX_AGE_SECONDS) };
      this.#cached = kept;
    }
    return this.#cached.jwks;
  }

  async #fetch(): Promise<PublicJwks> {
    this.fetched += 1;
    const response = await fetch(`${url}/.well-known/jwks.json`);
    expect(response.headers.get('cache-control')).toBe(`public, max-age=${JWKS_MAX_AGE_SECONDS}`);
    return (await response.json()) as PublicJwks;
  }

  async verify({ token, params }: Issued): Promise<string> {
    const verdict = await verifyPermitOffline(token, {
      jwks: await this.#jwks(),
      issuer: t.gate.issuer,
      audience: t.projectId,
      mode: 'test',
      action: 'payments.refund',
      params,
      now: epochSeconds(t.clock.now()),
    });
    return verdict.ok ? 'ok' : verdict.reason;
  }
}

interface Issued {
  token: string;
  kid: string;
  params: { n: number };
}

let issuedSoFar = 0;
async function issue(): Promise<Issued> {
  issuedSoFar += 1;
  const params = { n: issuedSoFar };
  const { status, body } = await send('POST', '/v1/intents', t.first.agent_key, {
    action: 'payments.refund',
    params,
  });
  expect(status).toBe(201);
  const { token } = body.permit as { token: string };
  const header = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());
  return { token, kid: header.kid, params };
}

describe('verifiers with a cached key set', () => {
  test('refuse no permit over several rotations under load', async () => {
    const { signer } = keysOf(t.gate);
    const verifiers: CachingVerifier[] = [];
    const kids = new Set<string>();
    const verdicts: Record<string, number> = {};
    let rotations = 0;
    let tooYoung = 0;
    for (let minute = 0; minute < MINUTES; minute += 1) {
      // Five verifiers whose caches expire at different minutes, so one was filled just before each rotation.
      if (verifiers.length < 5) verifiers.push(new CachingVerifier());
      const load = Array.from({ length: PERMITS_PER_TICK }, async (_, index) => {
        const permit = await issue();
        kids.add(permit.kid);
        const seen = await Promise.all(verifiers.map((verifier) => verifier.verify(permit)));
        const online = await send('POST', '/v1/permits/validate', t.first.verifier_key, {
          token: permit.token,
          action: 'payments.refund',
          params: permit.params,
          consume: index % 2 === 0,
        });
        for (const verdict of [...seen, online.status === 200 ? 'ok' : JSON.stringify(online.body)]) {
          verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
        }
      });
      // Rotates as often as the gate allows, while permits are being signed.
      const rotating = signer.rotate('operator').then(
        () => {
          rotations += 1;
        },
        (error) => {
          if (!(error instanceof NextKeyTooYoungError)) throw error;
          tooYoung += 1;
        },
      );
      await Promise.all([...load, rotating]);
      t.clock.advance(TICK_SECONDS);
    }
    expect(Object.keys(verdicts)).toEqual(['ok']);
    expect(rotations).toBeGreaterThanOrEqual(4);
    expect(tooYoung).toBeGreaterThan(rotations);
    expect(kids.size).toBe(rotations + 1);
    // The verifiers did use their caches: each fetched the keys once in five minutes.
    for (const { fetched } of verifiers) expect(fetched).toBeLessThanOrEqual(MINUTES / 5);
  });

  test('would refuse permits if the next key signed too early, which is why rotation waits', async () => {
    const { signer } = keysOf(t.gate);
    const verifier = new CachingVerifier();
    expect(await verifier.verify(await issue())).toBe('ok');
    // The cache has the next key, but not the one after it.
    await signer.rotate('operator', { early: true });
    expect(await verifier.verify(await issue())).toBe('ok');
    await signer.rotate('operator', { early: true });
    const early = await issue();
    expect(await verifier.verify(early)).toBe('unknown_key');
    t.clock.advance(299);
    expect(await verifier.verify(early)).toBe('unknown_key');
  });

  test('accept the permits of a retired key until they expire', async () => {
    const { signer } = keysOf(t.gate);
    const permit = await issue();
    t.clock.advance(200);
    await signer.rotate('operator', { early: true });
    expect(await new CachingVerifier().verify(permit)).toBe('ok');
  });
});
