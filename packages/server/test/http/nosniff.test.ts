/** A browser with a session can open any URL of the gate, so no answer may be mistaken for a page because of its text. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type SignedIn, signedIn } from '../fixtures/signed-in.ts';
import { openTestApp, type TestApp } from './open-test-app.ts';

let t: TestApp;
let ann: SignedIn;
beforeEach(async () => {
  t = await openTestApp({ mode: 'live' });
  ann = await signedIn(t.gate, t.owner.userId);
});
afterEach(() => t.close());

it('every answer forbids the browser to guess its content type', async () => {
  const statuses = {
    '/api/intents': 200,
    '/v1/projects/:id/audit': 200,
    '/v1/projects/:id/audit/export': 200,
    '/v1/projects/:id/members': 200,
    '/console/inbox': 200,
    '/console/account': 200,
    '/console/nothing-here': 404,
    '/%2e%2e/package.json': 404,
    '/inbox': 200,
  };
  for (const [path, status] of Object.entries(statuses)) {
    const answer = await t.call('GET', path.replace(':id', t.projectId), { headers: { cookie: ann.cookie } });
    expect([path, answer.status, answer.headers['x-content-type-options']]).toEqual([
      path,
      status,
      'nosniff',
    ]);
  }
});
