/** The code that builds an app decides whether its requests are the operator's. No header can, on either app. */
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OperatorDoor, openOperatorDoor } from '../../src/http/operator-door.ts';
import { REFUND } from '../fixtures/approved-intent.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';

let t: TestApp;
let door: OperatorDoor;
let path: string;
beforeEach(async () => {
  t = await openTestApp({ mode: 'live' });
  path = `/v1/projects/${t.projectId}`;
  door = await openOperatorDoor(t.gate, OPERATOR);
});
afterEach(async () => {
  await door.close();
  await t.close();
});

/**
 * Headers with other callers' credentials, with none, and with values that an attacker might send to appear as the
 * operator.
 */
async function headersOfAllKinds(): Promise<Record<string, string>[]> {
  const { cookie } = await t.owner.signIn();
  return [
    {},
    { authorization: `Bearer ${t.first.agent_key}` },
    { authorization: `Bearer ${t.owner.token}` },
    { authorization: 'Bearer operator' },
    { authorization: 'Operator operator' },
    { cookie },
    { 'x-permitry-operator': 'operator', 'x-operator': 'operator', operator: 'operator' },
    { 'x-permitry-caller': JSON.stringify(OPERATOR), 'x-forwarded-user': 'operator' },
    { 'x-forwarded-for': '127.0.0.1', forwarded: 'for=127.0.0.1;by=operator' },
  ];
}

describe('the operator’s door', () => {
  it('acts as the operator whatever the headers say, and the audit log names the operator', async () => {
    for (const headers of await headersOfAllKinds()) {
      // In live mode no key and no token starts a project.
      for (const verb of ['stop', 'start']) await door.request('POST', `${path}/${verb}`, { headers });
    }
    const events = await t.events(t.projectId, 'project.started');
    expect(events).toHaveLength((await headersOfAllKinds()).length);
    for (const event of events) expect(event.actor).toMatchObject({ type: 'operator', id: 'operator' });
  });

  it('throws refusals as the gate does, and cannot listen on a port', async () => {
    await expect(door.request('GET', '/v1/projects/prj_unknown/agents')).rejects.toMatchObject({
      name: 'GateError',
      code: 'project_not_found',
    });
    await expect(door.request('POST', `${path}/agents`, { body: { nam: 'a' } })).rejects.toMatchObject({
      name: 'GateError',
      code: 'missing_fields',
    });
    await expect(door.request('DELETE', `${path}/keys/${'a'.repeat(300)}`)).rejects.toMatchObject({
      name: 'GateError',
      code: 'not_found',
    });
    expect(Object.keys(door).toSorted()).toEqual(['close', 'request']);
  });

  it('only manages projects: the operator can neither create requests nor decide them', async () => {
    const asked = await t.call('POST', '/v1/intents', { key: t.first.agent_key, body: REFUND });
    const id = String(asked.body.id);
    for (const [method, other, body] of [
      ['POST', '/v1/intents', REFUND],
      ['GET', `/v1/intents/${id}`, undefined],
      ['POST', `/v1/intents/${id}/approve`, {}],
      ['POST', `/v1/intents/${id}/deny`, {}],
      ['POST', '/v1/permits/validate', { token: 'x', action: 'x', params: {} }],
      ['GET', '/v1/me', undefined],
    ] as const) {
      await expect(door.request(method, other, { body })).rejects.toMatchObject({ code: 'forbidden' });
    }
    for (const other of ['/console/projects', '/api/intents', '/mcp', '/metrics'])
      await expect(door.request('GET', other)).rejects.toMatchObject({ code: 'not_found' });
    expect((await t.call('GET', `/v1/intents/${id}`, { key: t.first.agent_key })).body.status).toBe(
      'pending',
    );
  });
});

it('an app that listens never acts as the operator, whatever the headers say', async () => {
  await t.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = t.app.server.address() as AddressInfo;
  for (const headers of await headersOfAllKinds()) {
    const start = `http://127.0.0.1:${port}${path}/start`;
    const answer = await fetch(start, { method: 'POST', headers });
    expect([401, 403]).toContain(answer.status);
  }
  expect(await t.events(t.projectId, 'project.started')).toEqual([]);
});
