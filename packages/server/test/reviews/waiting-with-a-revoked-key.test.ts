import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decideIntent } from '../../src/gate/intents/decide.ts';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { revokeKey } from '../../src/people/keys/revoke-key.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { type ListeningApp, openListeningApp } from '../waiting/open-listening-app.ts';
import { REFUND } from './approved-intent.ts';

let t: ListeningApp;
beforeEach(async () => {
  t = await openListeningApp();
});
afterEach(() => t.close());

describe.each([
  ['api', 'UNAUTHORIZED'],
  ['v1', 'unauthorized'],
])('on /%s', (surface, code) => {
  it('a key revoked while it waits gets 401 and no permit', async () => {
    const { intent } = await submitIntent(t.gate, t.agent, REFUND);
    const waiting = t.get(`/${surface}/intents/${intent.id}?wait=60`, t.first.agent_key);
    await t.untilWaiting(1);
    await revokeKey(t.gate, OPERATOR, { projectId: t.projectId, keyId: t.agent.credentialId });
    await decideIntent(t.gate, t.secret, { intentId: intent.id, decision: 'approve' });
    const { status, body } = await waiting;
    expect(status).toBe(401);
    expect(body).toMatchObject({ error: { code } });
    expect(Object.keys(body)).toEqual(['error']);
  });
});
