/** Threat 3: in live mode, a person's programs never approve a request that another program of theirs sent. */
import type { CatalogueEntry } from '../attack-case.ts';
import type { PersonKeys } from '../keys-file.ts';
import { check, expectDone, expectRefused, idOf } from '../range/expect.ts';
import type { Range } from '../range/range.ts';
import type { Stage } from '../range/stage.ts';
import type { Surface } from '../range/surfaces.ts';

/** An admin of a live project, and an approver who is another person. */
function castIn(range: Range): { live: Stage; admin: PersonKeys; other: PersonKeys } {
  const live = range.in('live');
  const admin = live.managingPerson;
  const other = live.approvers.find(({ email }) => email !== admin?.email);
  check(admin !== undefined && other !== undefined, 'the needs of this case were checked wrongly');
  return { live, admin, other };
}

export const SEPARATION_OF_DUTIES: readonly CatalogueEntry[] = [
  {
    id: 'T03-own-request',
    title: 'somebody approves what their own program asked for',
    threats: ['3'],
    aisvs: ['9.2.1', '9.5.3'],
    attack:
      'A person’s service asks, naming nobody or that person; the person’s token, that service and a second one then approve, whether policy lets programs approve or not.',
    expected:
      '403 that asks for a person. Somebody else can approve, the person at their browser as well, and their programs deny.',
    needs: ['two people in live mode'],
    async run(range) {
      const { live, admin, other } = castIn(range);
      const service = await live.newKey({ kind: 'secret' });
      const second = await live.newKey({ kind: 'secret' });
      const programs = [admin.token, service.key, second.key];
      const ask = (action: string, more: object = {}) =>
        live.newIntent(action, {}, { key: service.key, ...more });
      const expectTheirs = (surface: Surface, id: string) => {
        const watched = { intents: [id], whole: false, recorded: programs.length };
        return live.unchanged('approving one’s own request', watched, async () => {
          for (const program of programs) {
            const answer = await surface.approve(program, id);
            const required = { required: 'person' };
            expectRefused(surface.name, answer, 403, 'FORBIDDEN', 'approving one’s own request', required);
          }
        });
      };
      const [own, strict] = [live.action('own'), live.action('own.strict')];
      const require = [{ from: ['role:approver'], count: 1 }];
      const rule = { name: strict, match: { action: strict }, effect: 'require_approval', require };
      for (const surface of live.surfaces) {
        const id = await ask(own);
        await expectTheirs(surface, id);
        const approved = expectDone(await surface.approve(other.token, id), 'approving by somebody else');
        check(approved.body.status === 'approved', 'not even somebody else can approve it', approved);
        if (live.mayTouchProject)
          await live.withRules([rule], async () => expectTheirs(surface, await ask(strict)));

        const named = await ask(own, { approvers: [admin.email] });
        await expectTheirs(surface, named);
        const strange = await surface.approve(other.token, named);
        const required = { required: admin.email };
        expectRefused(surface.name, strange, 403, 'FORBIDDEN', 'approving though another is named', required);
        expectDone(await surface.deny(other.token, named), 'denying though another is named');

        const present = await live.managing();
        const inPerson = await ask(own);
        const look = await live.call('GET', `/console/intents/${inPerson}`, present);
        const { intent_hash } = look.body;
        const path = `/v1/intents/${inPerson}/approve`;
        const done = await live.call('POST', path, { ...present, body: { intent_hash } });
        check(done.body.status === 'approved', 'the person cannot approve it at their browser', done);
        for (const program of programs) {
          const denied = expectDone(await surface.deny(program, await ask(own)), 'denying one’s own request');
          check(denied.body.resolved_by === admin.email, 'it is denied by another name', denied);
        }
      }
      const easy = range.find('test');
      if (easy?.keys.secret_key) {
        const { secretKey: key } = easy;
        const id = await easy.newIntent(easy.action('own'), {}, { key });
        const done = await easy.surfaces[0].approve(key, id);
        check(done.body.status === 'approved', 'in test mode one key cannot walk the whole path', done);
      }
    },
  },
  {
    id: 'T03-own-quorum',
    title: 'a requester is half of its own quorum',
    threats: ['3', '4'],
    aisvs: ['9.2.1'],
    attack: 'Of two approvals that are needed, the owner of the requesting program gives one.',
    expected: '403; the intent waits for a second person.',
    needs: ['two people in live mode'],
    async run(range) {
      const { live, admin, other } = castIn(range);
      const service = await live.newKey({ kind: 'secret' });
      for (const surface of live.surfaces) {
        const id = await live.newIntent(live.action('own'), {}, { key: service.key, min_approvals: 2 });
        expectDone(await surface.approve(other.token, id), 'the first approval');
        const answer = await surface.approve(admin.token, id);
        expectRefused(surface.name, answer, 403, 'FORBIDDEN', 'the owner of the requester as second');
        const read = await live.surfaces[1].read(live.secretKey, id);
        check(read.body.status === 'pending', `the intent is ${String(read.body.status)}`, read);
        const third = live.approvers.find(({ email, role }) => role === 'approver' && email !== other.email);
        const last = third && (await surface.approve(third.token, id));
        check(
          last === undefined || last.body.status === 'approved',
          'a second person does not suffice',
          last,
        );
      }
    },
  },
  {
    id: 'T03-service-manages',
    title: 'a program makes itself helpers',
    threats: ['3', '1'],
    aisvs: ['9.2.5', '9.5.1'],
    attack:
      'In live mode a secret key, and an admin’s token made to manage, add people, make keys, change groups and rewrite the policy.',
    expected: '403: that takes a person who is present; nothing changed.',
    needs: ['two people in live mode'],
    async run(range) {
      const { live, admin } = castIn(range);
      const email = `${live.name('accomplice')}@example.org`;
      const group = live.name('group');
      const [agent, made] = [await live.newAgent(), await live.newKey({ kind: 'verify' })];
      const member = await live.newMember('viewer');
      const policy = (await live.call('GET', `${live.root}/policies`, { key: admin.token })).body.policy as {
        rules: object[];
      };
      const allowing = { name: 'all', match: { action: live.action('*') }, effect: 'allow' };
      for (const key of [live.secretKey, admin.token])
        await live.unchanged('a program that manages', { recorded: true }, async () => {
          for (const [method, path, body] of [
            ['POST', '/members', { email, role: 'approver' }],
            ['POST', '/keys', { kind: 'secret', name: group }],
            ['POST', '/keys', { kind: 'verify', name: group }],
            ['PUT', `/groups/${group}`, { members: [] }],
            ['POST', '/groups', { name: group, members: [] }],
            ['POST', '/keys', { kind: 'agent', name: group, agent_id: agent.id }],
            ['POST', `/keys/${made.id}/revoke`, {}],
            ['PATCH', `/members/${member.id}`, { role: 'owner' }],
            ['DELETE', `/members/${member.id}`, undefined],
            ['PUT', '/policies', { ...policy, rules: [...policy.rules, allowing] }],
          ] as const) {
            const answer = await live.call(method, live.root + path, { key, body });
            if (answer.status === 200 && path === '/policies')
              live.takeBack(() => live.manage('PUT', '/policies', policy));
            expectRefused('B', answer, 403, 'FORBIDDEN', `${method} ${path} by a program`);
          }
        });
    },
  },
  {
    id: 'T03-higher-role',
    title: 'an admin makes an owner, or a token for somebody else',
    threats: ['3', '1'],
    aisvs: ['9.5.1'],
    attack:
      'An admin, signed in, adds an owner, promotes themselves, and makes keys in another person’s name.',
    expected:
      '403 for roles above one’s own, 400 for keys that name an owner; nothing changed. A key is its maker’s.',
    needs: ['two people in live mode'],
    async run(range) {
      const { live, admin } = castIn(range);
      const members = await live.call('GET', `${live.root}/members?limit=200`, { key: admin.token });
      const people = members.body.data as { id: string; email: string; role: string }[];
      const self = people.find(({ email }) => email === admin.email);
      const owner = people.find(({ role }) => role === 'owner');
      const agent = await live.newAgent();
      const email = `${live.name('owner')}@example.org`;
      await live.unchanged('acting above one’s role', { recorded: true }, async () => {
        if (self?.role === 'admin') {
          for (const [method, path, body] of [
            ['POST', '/members', { email, role: 'owner' }],
            ['PATCH', `/members/${self.id}`, { role: 'owner' }],
            ['PATCH', `/members/${owner?.id}`, { role: 'viewer' }],
            ['DELETE', `/members/${owner?.id}`, undefined],
          ] as const) {
            const answer = await live.manage(method, path, body);
            const required = { required: 'role:owner' };
            expectRefused('B', answer, 403, 'FORBIDDEN', `${method} ${path}`, required);
          }
        }
        for (const more of [
          { kind: 'user', email, rights: ['decide'] },
          { kind: 'user' },
          { kind: 'agent', agent_id: agent.id, owner_id: null },
          { kind: 'secret', owner_id: self?.id },
          { kind: 'secret', owner_email: email },
          { kind: 'secret', owner: email },
          { kind: 'secret', rights: ['decide', 'manage'] },
        ]) {
          const body = { name: live.name('key'), ...more };
          const answer = await live.manage('POST', '/keys', body);
          expectRefused('B', answer, 400, 'INVALID_FIELDS', `a key with ${Object.keys(more).join(', ')}`);
        }
      });
      const minted = await live.manage('POST', '/keys', { kind: 'secret', name: live.name('key') });
      live.takeBack(() => live.manage('POST', `/keys/${idOf(minted)}/revoke`, {}));
      live.client.secrets.add(String(minted.body.key), 'a secret key made for the attack');
      check(minted.body.owner_id === self?.id, 'a key belongs to somebody else than its maker', minted);
    },
  },
];
