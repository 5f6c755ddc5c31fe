/** A credential ends or loses a right between a request's headers and its body. */
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { revokeAgent } from '../../src/gate/agents/agent-status.ts';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { stopProject } from '../../src/gate/projects/stop-switch.ts';
import { createKey } from '../../src/people/keys/create-key.ts';
import { revokeKey } from '../../src/people/keys/revoke-key.ts';
import { revokeUserToken } from '../../src/people/keys/user-token.ts';
import { changeRole } from '../../src/people/members/change-role.ts';
import { approvedIntent, REFUND } from '../fixtures/approved-intent.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';
import type { Answer } from '../waiting/open-listening-app.ts';

let t: TestApp;
let url: string;
/** Called when the server has admitted the headers of a request. */
let onAdmitted = (): void => {};
beforeEach(async () => {
  t = await openTestApp({ deps: { usage: { note: () => onAdmitted() } } });
  await t.app.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${(t.app.server.address() as AddressInfo).port}`;
});
afterEach(() => t.close());

/** Sends the headers immediately, and the body 100 ms after the change. */
async function sendSlowly(
  [method, path]: readonly [method: string, path: string],
  key: string,
  body: object,
  meanwhile: () => Promise<unknown>,
): Promise<Answer> {
  const admitted = new Promise<void>((resolve) => {
    onAdmitted = resolve;
  });
  const text = JSON.stringify(body);
  const sent = request(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    },
  });
  const answer = new Promise<Answer>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) }),
      );
    });
  });
  sent.flushHeaders();
  await admitted;
  await meanwhile();
  await delay(100);
  sent.end(text);
  return answer;
}

const CREATE = ['POST', '/v1/intents'] as const;
const VALIDATE = ['POST', '/v1/permits/validate'] as const;

function countIntents(): Promise<number> {
  return t.gate.storage.read.listIntents({ projectIds: [t.projectId], limit: 200 }).then((all) => all.length);
}

describe('while the body of a request is arriving', () => {
  it('a revoked access token decides nothing', async () => {
    const ann = await t.addPerson('ann@example.org', 'approver');
    const { intent } = await submitIntent(t.gate, t.agent, REFUND);
    const path = `/api/intents/${intent.id}`;
    const answer = await sendSlowly(['PATCH', path], ann.token, { decision: 'approve' }, () =>
      revokeUserToken(t.gate, OPERATOR, { keyId: ann.caller.credentialId }),
    );
    expect(answer).toMatchObject({ status: 401, body: { error: { code: 'UNAUTHORIZED' } } });
    expect((await t.gate.storage.read.findIntent(intent.id))?.status).toBe('pending');
    expect(await t.gate.storage.read.listApprovals(intent.id)).toEqual([]);
  });

  it('a revoked verifier key uses nothing', async () => {
    const { id, token } = await approvedIntent(t);
    const { key, record } = await createKey(t.gate, OPERATOR, {
      projectId: t.projectId,
      kind: 'verify',
      name: 'executor',
    });
    const answer = await sendSlowly(VALIDATE, key, { token, ...REFUND, consume: true }, () =>
      revokeKey(t.gate, OPERATOR, { projectId: t.projectId, keyId: record.id }),
    );
    expect(answer).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } });
    expect((await t.gate.storage.read.findIntent(id))?.consumedAt).toBeNull();
  });

  it('a revoked secret key creates nothing', async () => {
    const { key, keyId } = await t.addService('owner@example.org');
    const answer = await sendSlowly(CREATE, key, REFUND, () =>
      revokeKey(t.gate, OPERATOR, { projectId: t.projectId, keyId }),
    );
    expect(answer).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } });
    expect(await countIntents()).toBe(0);
  });

  it('a secret key whose owner is demoted creates nothing', async () => {
    const ann = await t.addPerson('ann@example.org', 'admin');
    const { key } = await t.addService(ann.email);
    const answer = await sendSlowly(CREATE, key, REFUND, () =>
      changeRole(t.gate, OPERATOR, { projectId: t.projectId, userId: ann.userId, role: 'viewer' }),
    );
    expect(answer).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } });
    expect(await countIntents()).toBe(0);
  });

  it('a revoked agent withdraws nothing', async () => {
    const { intent } = await submitIntent(t.gate, t.agent, REFUND);
    const path = `/v1/intents/${intent.id}/withdraw`;
    const answer = await sendSlowly(['POST', path], t.first.agent_key, {}, () =>
      revokeAgent(t.gate, OPERATOR, { projectId: t.projectId, agentId: t.agentId }),
    );
    expect(answer).toMatchObject({ status: 403, body: { error: { code: 'agent_revoked' } } });
    expect((await t.gate.storage.read.findIntent(intent.id))?.status).toBe('pending');
  });

  it('a stopped project verifies no permit and creates nothing', async () => {
    const { token } = await approvedIntent(t);
    const verified = await sendSlowly(VALIDATE, t.first.verifier_key, { token, ...REFUND }, () =>
      stopProject(t.gate, OPERATOR, { projectId: t.projectId }),
    );
    expect(verified).toMatchObject({ status: 400, body: { error: { reason: 'project_stopped' } } });
    const created = await sendSlowly(CREATE, t.first.secret_key, REFUND, async () => {});
    expect(created).toMatchObject({ status: 403, body: { error: { code: 'project_stopped' } } });
    expect(await countIntents()).toBe(1);
  });

  it('without a change, the request is carried out', async () => {
    const answer = await sendSlowly(CREATE, t.first.agent_key, REFUND, async () => {});
    expect(answer).toMatchObject({ status: 201, body: { status: 'pending' } });
  });
});
