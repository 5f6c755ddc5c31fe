/**
 * Threat 21: keys that were created together never approve each other's requests, no matter who created them and how
 * (`init`, a page, the operator). The test tries every way to create an agent and its key, with every program of the
 * people behind it, on both surfaces. This is in live mode, where policy lets programs approve.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller } from '../../packages/server/src/gate/access/caller.ts';
import { registerAgent } from '../../packages/server/src/gate/agents/register-agent.ts';
import { updateAgent } from '../../packages/server/src/gate/agents/update-agent.ts';
import { createKey } from '../../packages/server/src/people/keys/create-key.ts';
import { revokeKey } from '../../packages/server/src/people/keys/revoke-key.ts';
import { asShown } from '../../packages/server/test/fixtures/as-shown.ts';
import { broughtIn } from '../../packages/server/test/fixtures/brought-in.ts';
import type { Person } from '../../packages/server/test/fixtures/open-test-gate.ts';
import { type Arena, openArena } from './open-arena.ts';
import { expectRefused, idOf, type Surface } from './surfaces.ts';

const PEOPLE = ['owner', 'ann', 'bob'] as const;
type Name = (typeof PEOPLE)[number];

let t: Arena;
let people: Record<Name, Person>;
let services: Record<Name, string>;
let named = 0;

beforeAll(async () => {
  t = await openArena({ mode: 'live' });
  people = {
    owner: t.owner,
    ann: await t.addPerson('ann@example.org', 'admin'),
    bob: await t.addPerson('bob@example.org', 'admin'),
  };
  services = {
    owner: t.first.secret_key,
    ann: (await t.addService('ann@example.org')).key,
    bob: (await t.addService('bob@example.org')).key,
  };
  await t.putPolicy({ approvers: ['role:approver'], programs: true });
});
afterAll(() => t.close());

const registered = async (by: Caller, ownerId?: string) => {
  named += 1;
  const input = { projectId: t.projectId, name: `bot-${named}`, ...(ownerId ? { ownerId } : {}) };
  return (await registerAgent(t.gate, by, input)).id;
};
const keyed = (by: Caller, agentId: string) =>
  createKey(t.gate, by, { projectId: t.projectId, kind: 'agent', name: 'key', agentId });

/** How an agent and its key were created, and whose programs must not approve its requests. */
const WAYS: readonly { way: string; behind: readonly Name[]; make: () => Promise<string> }[] = [
  { way: 'created by init', behind: ['owner'], make: async () => t.first.agent_key },
  {
    way: 'created by a person in the dashboard',
    behind: ['ann'],
    async make() {
      const ann = await people.ann.present();
      return (await keyed(ann, await registered(ann))).key;
    },
  },
  {
    way: 'created by the operator, who named an owner',
    behind: ['ann'],
    make: async () => (await keyed(t.operator, await registered(t.operator, people.ann.userId))).key,
  },
  {
    way: 'created by the operator, who named no owner',
    behind: ['owner'],
    make: async () => (await keyed(t.operator, await registered(t.operator))).key,
  },
  {
    way: 'registered by one person, with a key of another',
    behind: ['ann', 'bob'],
    make: async () =>
      (await keyed(await people.bob.present(), await registered(await people.ann.present()))).key,
  },
  {
    way: 'with a key made by a member whom a program of Ann’s added',
    behind: ['owner', 'ann'],
    async make() {
      named += 1;
      const helper = await broughtIn(t, [people.ann], `helper-${named}@example.org`, 'admin');
      return (await keyed(await helper.caller(), t.agentId)).key;
    },
  },
  {
    way: 'with a key of another person that has been revoked',
    behind: ['ann', 'bob'],
    async make() {
      const agentId = await registered(await people.ann.present());
      const { record } = await keyed(await people.bob.present(), agentId);
      await revokeKey(t.gate, t.operator, { projectId: t.projectId, keyId: record.id });
      return (await keyed(await people.ann.present(), agentId)).key;
    },
  },
  {
    way: 'registered by one person, and taken over by another',
    behind: ['ann', 'bob'],
    async make() {
      const agentId = await registered(await people.ann.present());
      const { key } = await keyed(await people.ann.present(), agentId);
      const ownerId = people.bob.userId;
      await updateAgent(t.gate, await people.bob.present(), { projectId: t.projectId, agentId, ownerId });
      return key;
    },
  },
];

const ask = async (surface: Surface, key: string) => {
  named += 1;
  return idOf(await surface.create(key, 'payments.refund', { n: named }));
};

describe.each(WAYS)('requests of an agent and its key ($way)', ({ behind, make }) => {
  it.each(PEOPLE)('are approved by programs of %s only if that person is not behind them', async (name) => {
    const key = await make();
    for (const surface of t.surfaces) {
      for (const program of [services[name], people[name].token]) {
        const id = await ask(surface, key);
        if (behind.includes(name)) {
          const answer = await t.expectUnchanged(() => surface.approve(program, id), ['access.refused']);
          expectRefused(surface.name, answer, 403, 'FORBIDDEN', { required: 'person' });
          t.clock.advance(60);
        } else {
          expect((await surface.approve(program, id)).body).toMatchObject({ status: 'approved' });
        }
      }
    }
  });

  it('are approved by each person behind them in a session', async () => {
    const key = await make();
    for (const name of behind) {
      const id = await ask(t.surfaces[1], key);
      const present = people[name];
      const answer = await t.call('POST', `/v1/intents/${id}/approve`, {
        present,
        body: await asShown(t.gate, id),
      });
      expect(answer.body).toMatchObject({ status: 'approved' });
    }
  });

  it('are denied by programs of the people behind them', async () => {
    const key = await make();
    for (const name of behind) {
      const id = await ask(t.surfaces[0], key);
      expect((await t.surfaces[0].deny(services[name], id)).body).toMatchObject({ status: 'denied' });
    }
  });
});

it('a key that is created while its maker’s program approves never lets that program through', async () => {
  const agentId = await registered(await people.ann.present());
  const { key } = await keyed(await people.ann.present(), agentId);
  for (let round = 0; round < 10; round += 1) {
    const id = await ask(t.surfaces[1], key);
    const bob = await people.bob.present();
    const [approved] = await Promise.all([t.surfaces[1].approve(services.bob, id), keyed(bob, agentId)]);
    // Before Bob created the key, he was not behind the agent. So only the first round may be approved.
    if (round > 0) expect(approved.status).toBe(403);
    t.clock.advance(60);
  }
});
