import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { REFUND } from '../fixtures/approved-intent.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';

let t: TestApp;
beforeEach(async () => {
  t = await openTestApp();
  const { body } = await t.call('POST', '/v1/intents', { key: t.first.agent_key, body: REFUND });
  await t.call('POST', `/v1/intents/${body.id}/approve`, { key: t.owner.token, body: {} });
});
afterEach(() => t.close());

interface Found {
  type: string;
  actor: { id: string; display: string };
}

function read(query: string) {
  return t.call('GET', `/v1/projects/${t.projectId}/audit?order=asc&${query}`, { key: t.owner.token });
}

async function typesOf(query: string): Promise<string[]> {
  const { status, body } = await read(query);
  expect(status).toBe(200);
  return (body.data as Found[]).map(({ type }) => type);
}

const OWNERS = ['approval.recorded', 'intent.approved', 'permit.issued'];

describe('the actor filter', () => {
  it('accepts an ID, or the displayed address or name', async () => {
    expect(await typesOf(`actor=${t.owner.userId}`)).toEqual(OWNERS);
    expect(await typesOf(`actor=${encodeURIComponent(t.owner.email)}`)).toEqual(OWNERS);
    expect(await typesOf(`actor=${t.agentId}`)).toEqual(['intent.created']);
    expect(await typesOf(`actor=${encodeURIComponent(t.agent.agent.name)}`)).toEqual(['intent.created']);
  });

  it('finds nothing for a person without events, nor for a part of a name', async () => {
    expect(await typesOf('actor=ann@example.org')).toEqual([]);
    expect(await typesOf('actor=owner')).toEqual([]);
    expect(await typesOf('actor=%25')).toEqual([]);
  });

  it('combines with other filters', async () => {
    expect(await typesOf(`actor=${t.owner.email}&type=intent.approved,intent.created`)).toEqual([
      'intent.approved',
    ]);
  });
});

describe('the type filter', () => {
  it('accepts one or several types, as a list, repeated, or as a group', async () => {
    for (const query of [
      'type=intent.created,intent.approved',
      'type=intent.created&type=intent.approved',
      'type=intent.created&type=intent.approved,intent.created',
      'type=intent.*',
    ])
      expect(await typesOf(query), query).toEqual(['intent.created', 'intent.approved']);
  });

  it('refuses a type that does not exist, and explains why', async () => {
    const message = expect.stringMatching(/is neither an event type nor a group such as intent\.\*\.$/);
    for (const query of [
      'type=intent.created,nonsense',
      'type=intent.created&type=nonsense',
      'type=nonsense',
      'type=intentXcreated',
      'type=intent.created,',
      'type=',
      'type=*',
      'type=intent*',
      'type=nonsense.*',
    ]) {
      const { status, body } = await read(query);
      expect(status, query).toBe(400);
      expect(body, query).toMatchObject({
        error: { code: 'invalid_request', fields: [{ path: '/type', message }] },
      });
    }
  });
});
