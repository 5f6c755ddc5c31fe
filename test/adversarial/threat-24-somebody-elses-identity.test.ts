/**
 * Threat 24: the gate accepts no ID token that its provider did not sign, and no address that only looks like a
 * member's.
 */
import { createSecretKey } from 'node:crypto';
import { decodeJwt, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { People } from '../../packages/server/src/gate/approvals/people.ts';
import { createProject } from '../../packages/server/src/gate/projects/create-project.ts';
import { OPERATOR, type Person } from '../../packages/server/test/fixtures/open-test-gate.ts';
import { signedIn } from '../../packages/server/test/fixtures/signed-in.ts';
import {
  type RunningProvider,
  runOidcProvider,
} from '../../packages/server/test/sign-in/run-oidc-provider.ts';
import { type Arena, openArena } from './open-arena.ts';
import { expectRefused } from './surfaces.ts';

const CALLBACK = 'http://localhost:4000/console/oidc/example/callback';
const KATE = { sub: 'kate-at-provider', email: 'kate@example.org', email_verified: true };

let provider: RunningProvider;
let t: Arena;
let kate: Person;
beforeAll(async () => {
  provider = await runOidcProvider(CALLBACK);
  provider.person = KATE;
  const settings = {
    id: 'example',
    name: 'Example',
    issuer: new URL(provider.issuer),
    clientId: provider.clientId,
    clientSecret: createSecretKey(Buffer.from(provider.clientSecret)),
    scope: 'openid email',
  };
  t = await openArena({ mode: 'live', config: { oidc: [settings] } });
  // The provider signs with the real time, so the gate's clock has to match.
  t.clock.set(new Date().toISOString());
  kate = await t.addPerson('kate@example.org', 'owner');
});
afterAll(async () => {
  await t.close();
  await provider.close();
});

/**
 * Signs in at the provider and returns. The result is the problem that the page names, and whether there is a session.
 */
async function signIn(): Promise<{ problem: string | null; signedIn: boolean }> {
  const start = await t.call('GET', '/console/oidc/example/start');
  const [cookie = ''] = String(start.headers['set-cookie']).split(';');
  const back = new URL(await provider.signIn(String(start.headers.location)));
  const answer = await t.call('GET', back.pathname + back.search, { headers: { cookie } });
  const to = new URL(String(answer.headers.location));
  const cookies = [answer.headers['set-cookie'] ?? []].flat();
  return {
    problem: to.searchParams.get('problem'),
    signedIn: cookies.some((one) => String(one).startsWith('__Host-permitry_session=')),
  };
}

const withSignature = (token: string, signature: string): string =>
  [...token.split('.').slice(0, 2), signature].join('.');

const FORGERIES: readonly (readonly [string, (token: string) => string | Promise<string>])[] = [
  ['signed AAAA', (token) => withSignature(token, 'AAAA')],
  ['not signed', (token) => withSignature(token, '')],
  [
    'signed with another key',
    async (token) => {
      const { privateKey } = await generateKeyPair('RS256');
      return new SignJWT(decodeJwt(token)).setProtectedHeader({ alg: 'RS256' }).sign(privateKey);
    },
  ],
  ['with an empty subject', (token) => provider.sign({ ...decodeJwt(token), ...KATE, sub: '' })],
  [
    'with a subject of 256 characters',
    (token) => provider.sign({ ...decodeJwt(token), ...KATE, sub: 'k'.repeat(256) }),
  ],
];

/** Reads as `kate@example.org` to a system that folds Unicode, but is not a valid address here. */
const FOLDED = ['\u212aate@example.org', '\uff4bate@example.org', 'kate@example\uff0eorg'];

describe.each(FOLDED)('%s', (email) => {
  it('signs nobody in, even if the provider verified it', async () => {
    provider.person = { sub: 'a-stranger', email, email_verified: true };
    const outcome = await t.expectUnchanged(signIn);
    expect(outcome).toEqual({ problem: 'unknown_person', signedIn: false });
    provider.person = KATE;
  });

  it('is refused as the address of a new member, an invitation, a group, an erasure or an owner', async () => {
    const { headers } = await signedIn(t.gate, kate.userId);
    const root = `/v1/projects/${t.projectId}`;
    for (const [method, path, body, field] of [
      ['POST', `${root}/members`, { email, role: 'viewer' }, '/email'],
      ['POST', `/console/projects/${t.projectId}/invitations`, { email, role: 'viewer' }, '/email'],
      ['PUT', `${root}/groups/finance`, { members: [email] }, '/members/0'],
      ['POST', `${root}/erasures`, { person: email }, '/person'],
    ] as const) {
      const answer = await t.expectUnchanged(() => t.call(method, path, { headers, body }));
      expectRefused('B', answer, 400, 'INVALID_FIELDS', { fields: [{ path: field }] });
    }
    await expect(
      createProject(t.gate, OPERATOR, { name: 'other', mode: 'live', ownerEmail: email }),
    ).rejects.toMatchObject({ code: 'invalid_fields' });
  });

  it('matches no approver, whether a request or policy names it', async () => {
    const asked = await t.expectUnchanged(() =>
      t.call('POST', '/v1/intents', {
        key: t.first.agent_key,
        body: { action: 'payments.refund', params: {}, approvers: [email] },
      }),
    );
    expectRefused('B', asked, 422, 'APPROVER_NOT_FOUND');
    const people = new People(await t.gate.storage.read.listMembers(t.projectId), []);
    expect([people.knows('KATE@example.org'), people.knows(email)]).toEqual([true, false]);
  });
});

describe('an ID token', () => {
  it.each(FORGERIES)('%s signs nobody in and changes nothing', async (_what, forge) => {
    provider.forgeIdToken = forge;
    const outcome = await t.expectUnchanged(signIn);
    expect(outcome).toEqual({ problem: 'provider_refused', signedIn: false });
  });

  it('signs its person in when it is as the provider signed it', async () => {
    provider.forgeIdToken = undefined;
    expect(await signIn()).toEqual({ problem: null, signedIn: true });
  });
});
