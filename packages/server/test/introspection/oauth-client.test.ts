/** An OAuth client library that knows nothing about this gate introspects its permits, over a socket. */
import type { AddressInfo } from 'node:net';
import {
  type AuthorizationServer,
  allowInsecureRequests,
  type ClientAuth,
  introspectionRequest,
  processIntrospectionResponse,
  WWWAuthenticateChallengeError,
} from 'oauth4webapi';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { revokePermit } from '../../src/gate/permits/revoke.ts';
import { approvedIntent } from '../fixtures/approved-intent.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';

const CLIENT = { client_id: 'executor' };

let t: TestApp;
let server: AuthorizationServer;
beforeAll(async () => {
  t = await openTestApp();
  await t.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = t.app.server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${port}`;
  server = { issuer, introspection_endpoint: `${issuer}/v1/permits/introspect` };
});
afterAll(() => t.close());

/** RFC 7662 §2.1: the caller may be authorised by a bearer token of its own. */
function withKey(key: string): ClientAuth {
  return (_server, _client, _body, headers) => headers.set('authorization', `Bearer ${key}`);
}

async function introspect(token: string, key: string) {
  const options = { [allowInsecureRequests]: true };
  const response = await introspectionRequest(server, CLIENT, withKey(key), token, options);
  return processIntrospectionResponse(server, CLIENT, response);
}

it('an OAuth client library reads an active permit, with its registered claims', async () => {
  const { token, id } = await approvedIntent(t);
  const found = await introspect(token, t.first.verifier_key);
  expect(found).toMatchObject({ active: true, sub: t.agentId, aud: t.projectId, txn: id });
  expect(found.exp).toBeGreaterThan(found.iat ?? Number.POSITIVE_INFINITY);
});

it('an OAuth client library reads a revoked permit as inactive', async () => {
  const { token, id } = await approvedIntent(t);
  await revokePermit(t.gate, t.secret, { target: { intentId: id } });
  expect(await introspect(token, t.first.verifier_key)).toEqual({ active: false });
});

it('an OAuth client library recognises that a wrong key is refused', async () => {
  const refusal = await introspect('x', 'prm_verify_test_wrong').catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(WWWAuthenticateChallengeError);
  expect(refusal).toMatchObject({ status: 401 });
});
