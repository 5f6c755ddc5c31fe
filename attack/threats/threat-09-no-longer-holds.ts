/**
 * Threat 9: the gate refuses a permit that no longer holds or belongs elsewhere, with the reason. If the cause ends,
 * the permit is valid again.
 */
import type { CatalogueEntry } from '../attack-case.ts';
import { check, expectDone, expectInvalidPermit, expectRefused, permitOf } from '../range/expect.ts';
import type { NewPermit, Stage } from '../range/stage.ts';
import { NotProvided } from '../undefended.ts';

/** Verify and use fail on both surfaces with each of these keys, and nothing changes. */
async function expectRefusedEverywhere(
  main: Stage,
  { shown }: NewPermit,
  reason: string,
  what: string,
  keys = [main.verifierKey, main.keys.secret_key ?? main.verifierKey],
): Promise<void> {
  const { token } = shown;
  await main.unchanged(what, { whole: false }, async () => {
    for (const key of keys) {
      for (const surface of main.surfaces) {
        for (const tried of [shown, { ...shown, consume: true }, { token }])
          expectInvalidPermit(surface.name, await surface.verify(key, tried), reason, what);
      }
    }
  });
}

async function expectHolds(main: Stage, { shown }: NewPermit, when: string): Promise<void> {
  for (const surface of main.surfaces) {
    const answer = expectDone(await surface.verify(main.verifierKey, shown), `checking it ${when}`);
    check(answer.body.authorizes === true, `it does not hold ${when}`, answer);
  }
}

/** Expects that the permit holds and can be used. */
async function expectUsed(main: Stage, permit: NewPermit, when: string): Promise<void> {
  await expectHolds(main, permit, when);
  const used = await main.surfaces[0].verify(main.verifierKey, { ...permit.shown, consume: true });
  check(used.body.consumed === true, `it cannot be used ${when}`, used);
}

async function expectReceiptIs(main: Stage, id: string, key: string, status: string): Promise<void> {
  const read = await main.surfaces[0].read(key, id);
  const receipt = read.body.receipt_v2 as { revocation_status?: string };
  check(receipt.revocation_status === status, `its receipt is ${receipt.revocation_status}`, read);
}

/** RFC 7662. */
async function isActive(key: string, token: string, stage: Stage): Promise<boolean> {
  const answer = await stage.call('POST', '/v1/permits/introspect', {
    key,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ token }).toString(),
  });
  check(
    answer.status === 200 && typeof answer.body.active === 'boolean',
    'no answer to an introspection',
    answer,
  );
  // RFC 7662 §2.2: the gate reveals nothing more about a token that is not active.
  check(
    answer.body.active || Object.keys(answer.body).length === 1,
    'it tells of a permit that is not active',
    answer,
  );
  return answer.body.active;
}

export const NO_LONGER_HOLDS: readonly CatalogueEntry[] = [
  {
    id: 'T09-revoked',
    title: 'after its approval was revoked',
    threats: ['9'],
    aisvs: ['9.5.6'],
    attack: 'A permit is checked and used after its approval was revoked, and a fresh one is requested.',
    expected: 'permit_invalid, revoked, from the next call on; no fresh permit, no second approval.',
    needs: ['agent', 'verifier', 'decider', 'manager', 'observer'],
    async run({ main }) {
      for (const by of ['intent_id', 'token'] as const) {
        const permit = await main.newPermit();
        await expectHolds(main, permit, 'before');
        const body = { [by]: by === 'token' ? permit.shown.token : permit.id, reason: 'mistake' };
        expectDone(await main.call('POST', '/v1/permits/revoke', { key: main.stopper, body }), 'revoking');
        const keys = [main.verifierKey, main.observer, main.agentKey];
        await expectRefusedEverywhere(main, permit, 'revoked', 'a revoked permit', keys);
        await expectReceiptIs(main, permit.id, main.agentKey, 'revoked');
        await main.unchanged('what was revoked', { intents: [permit.id], whole: false }, async () => {
          const path = `/v1/intents/${permit.id}/permit`;
          const fresh = await main.call('POST', path, { key: main.agentKey, body: {} });
          expectInvalidPermit('B', fresh, 'revoked', 'a fresh permit of what was revoked');
          const again = await main.surfaces[0].approve(main.decider, permit.id);
          expectRefused('A', again, 409, 'INTENT_ALREADY_RESOLVED', 'approving it again');
        });
      }
    },
  },
  {
    id: 'T09-agent-paused',
    title: 'while its agent is paused',
    threats: ['9'],
    aisvs: ['9.5.6', '9.6.3'],
    attack: 'A paused agent uses the permit it holds, asks for a fresh one, and asks for more.',
    expected: 'agent_paused at once and everywhere; good again when resumed.',
    needs: ['manager', 'verifier', 'decider', 'observer'],
    async run({ main }) {
      const agent = await main.newAgent();
      const permit = await main.newPermit({ key: agent.key });
      expectDone(await main.manage('POST', `/agents/${agent.id}/pause`, {}), 'pausing');
      const keys = [main.verifierKey, main.observer, agent.key];
      await expectRefusedEverywhere(main, permit, 'agent_paused', 'a permit of a paused agent', keys);
      await expectReceiptIs(main, permit.id, agent.key, 'suspended');
      const fresh = await main.call('POST', `/v1/intents/${permit.id}/permit`, { key: agent.key, body: {} });
      expectRefused('B', fresh, 403, 'AGENT_PAUSED', 'a fresh permit');
      for (const surface of main.surfaces)
        expectRefused(
          surface.name,
          await surface.create(agent.key, main.action('paused')),
          403,
          'AGENT_PAUSED',
          'asking',
        );
      expectDone(await main.manage('POST', `/agents/${agent.id}/resume`, {}), 'resuming');
      await expectUsed(main, permit, 'after its agent is back');
    },
  },
  {
    id: 'T09-agent-revoked',
    title: 'after its agent was revoked',
    threats: ['9'],
    aisvs: ['9.4.1', '9.5.6'],
    attack: 'A revoked agent uses its permit and its key, and is to be brought back.',
    expected: 'agent_revoked on every call; 409 for resuming it.',
    needs: ['manager', 'verifier', 'decider'],
    async run({ main }) {
      const agent = await main.newAgent();
      const permit = await main.newPermit({ key: agent.key });
      expectDone(await main.manage('POST', `/agents/${agent.id}/revoke`, {}), 'revoking');
      await expectRefusedEverywhere(main, permit, 'agent_revoked', 'a permit of a revoked agent');
      await main.unchanged('the key of a revoked agent', { intents: [permit.id], whole: false }, async () => {
        for (const surface of main.surfaces) {
          expectRefused(
            surface.name,
            await surface.create(agent.key, main.action('gone')),
            403,
            'AGENT_REVOKED',
            'asking',
          );
          expectRefused(
            surface.name,
            await surface.read(agent.key, permit.id),
            403,
            'AGENT_REVOKED',
            'reading',
          );
          const used = await surface.verify(agent.key, { ...permit.shown, consume: true });
          expectRefused(surface.name, used, 403, 'AGENT_REVOKED', 'using it itself');
        }
      });
      await main.unchanged('a revoked agent', { whole: false }, async () => {
        for (const verb of ['resume', 'pause']) {
          const answer = await main.manage('POST', `/agents/${agent.id}/${verb}`, {});
          expectRefused('B', answer, 409, 'CONFLICT', `${verb} after it was revoked`);
        }
      });
    },
  },
  {
    id: 'T09-key-revoked',
    title: 'with a key that was revoked a moment ago',
    threats: ['9', '16'],
    aisvs: ['9.4.3', '9.5.6'],
    attack: 'A key asks, checks and reads on the very next call after it was revoked.',
    expected: '401 unauthorized at once.',
    needs: ['manager'],
    async run({ main }) {
      const { id, key } = await main.newKey({ kind: 'verify' });
      const read = () => main.call('GET', main.root, { key });
      for (let use = 0; use < 3; use += 1) expectDone(await read(), 'using a good key');
      expectDone(await main.manage('POST', `/keys/${id}/revoke`, {}), 'revoking it');
      expectRefused('B', await read(), 401, 'UNAUTHORIZED', 'using a revoked key');
      for (const surface of main.surfaces)
        expectRefused(
          surface.name,
          await surface.verify(key, { token: 'x' }),
          401,
          'UNAUTHORIZED',
          'checking with a revoked key',
        );
    },
  },
  {
    id: 'T09-stopped',
    title: 'while the project is stopped',
    threats: ['9'],
    aisvs: ['9.1.3', '9.5.6', '9.6.3'],
    attack:
      'Agents, services and executors go on after somebody pressed the stop switch, and an agent starts the project again.',
    expected:
      'project_stopped for every request, check and use, at once; 403 for the agent; good again when started.',
    needs: ['agent', 'verifier', 'decider', 'manager', 'observer', 'project-wide'],
    async run({ main }) {
      const agent = await main.newAgent();
      const permit = await main.newPermit({ key: agent.key });
      main.takeBack(() => main.manage('POST', '/start', {}));
      expectDone(await main.manage('POST', '/stop', {}), 'stopping');
      try {
        const keys = [main.verifierKey, main.observer, agent.key];
        await expectRefusedEverywhere(main, permit, 'project_stopped', 'a permit of a stopped project', keys);
        await main.unchanged('asking in a stopped project', { whole: false }, async () => {
          for (const surface of main.surfaces) {
            for (const key of [main.agentKey, main.keys.secret_key ?? main.agentKey]) {
              const asked = await surface.create(key, main.action('stopped'));
              expectRefused(surface.name, asked, 403, 'PROJECT_STOPPED', 'asking');
            }
          }
        });
        expectDone(await main.manage('POST', `/agents/${agent.id}/pause`, {}), 'pausing its agent meanwhile');
        const started = await main.call('POST', `${main.root}/start`, { key: main.agentKey, body: {} });
        expectRefused('B', started, 403, 'FORBIDDEN', 'starting it with an agent key');
      } finally {
        expectDone(await main.manage('POST', '/start', {}), 'starting');
      }
      await expectRefusedEverywhere(
        main,
        permit,
        'agent_paused',
        'a permit of an agent that was paused meanwhile',
      );
      expectDone(await main.manage('POST', `/agents/${agent.id}/resume`, {}), 'resuming');
      await expectUsed(main, permit, 'after the project is started');
    },
  },
  {
    id: 'T09-policy',
    title: 'after the policy became stricter',
    threats: ['9', '12'],
    aisvs: ['9.5.1', '9.5.6'],
    attack:
      'A permit is used after the policy came to deny its action, to ask for two people, for others, or for presence.',
    expected: 'policy_changed while it is so; good again when the policy is as before.',
    needs: ['agent', 'verifier', 'decider', 'manager', 'project-wide'],
    async run({ main }) {
      const action = main.action('policy');
      const permit = await main.newPermit({ action });
      const match = { action };
      const name = main.name('rule');
      const changes = [
        ['denies it', { effect: 'deny' }],
        ['denies it by a condition that fails', { effect: 'deny', when: 'params.absent.deeper > 1' }],
        [
          'asks for two people',
          { effect: 'require_approval', require: [{ from: ['role:approver'], count: 2 }] },
        ],
        ['asks others', { effect: 'require_approval', require: [{ from: ['role:owner'], count: 1 }] }],
        ['asks for presence', { effect: 'require_approval', proof_tier: 'session' }],
        ['asks for a passkey', { effect: 'require_approval', proof_tier: 'passkey' }],
      ] as const;
      for (const [what, rule] of changes) {
        await main.withRules([{ name, match, ...rule }], () =>
          expectRefusedEverywhere(main, permit, 'policy_changed', `a policy that now ${what}`),
        );
        await expectHolds(main, permit, 'after the policy is as before');
      }
      const { body } = await main.manage('GET', '/policies');
      const document = body.policy as { default: object };
      main.takeBack(() => main.manage('PUT', '/policies', document));
      const raised = { ...document, default: { ...document.default, min_approvals: 2 } };
      expectDone(await main.manage('PUT', '/policies', raised), 'raising the approvals of the default');
      await expectRefusedEverywhere(main, permit, 'policy_changed', 'a default that asks for two');
      expectDone(await main.manage('PUT', '/policies', document), 'putting it back');
      await expectUsed(main, permit, 'after the policy is as before');
      return `${changes.length + 1} changes`;
    },
  },
  {
    id: 'T09-allowed-once',
    title: 'what a rule allowed, after the rule is gone',
    threats: ['9', '2c'],
    aisvs: ['9.2.1', '9.5.6'],
    attack: 'A permit that a rule gave without asking anybody is used after a person has to be asked.',
    expected: 'policy_changed.',
    needs: ['agent', 'verifier', 'manager', 'project-wide'],
    async run({ main }) {
      const action = main.action('free');
      const rule = { name: main.name('rule'), match: { action }, effect: 'allow' };
      const created = await main.withRules([rule], () =>
        main.surfaces[0].create(main.agentKey, action, {}, { expires_in: 600 }),
      );
      check(created.body.status === 'approved', 'a rule that allows it did not', created);
      const shown = { token: String(created.body.permit_token), action, params: {} };
      const permit = { id: '', shown };
      await expectRefusedEverywhere(main, permit, 'policy_changed', 'what a rule allowed before');
      await main.withRules([rule], () => expectUsed(main, permit, 'once it is allowed again'));
    },
  },
  {
    id: 'T09-expired',
    title: 'after its time is over',
    threats: ['9'],
    aisvs: ['9.2.8', '9.5.2'],
    attack: 'A permit that lives for ten seconds is used in the eleventh.',
    expected: 'permit_invalid, expired.',
    needs: ['agent', 'verifier', 'decider', 'manager', 'project-wide'],
    when: 'slow',
    async run({ main, clock }) {
      const action = main.action('brief');
      const rule = {
        name: main.name('rule'),
        match: { action },
        effect: 'require_approval',
        require: [{ from: ['role:approver'], count: 1, programs: true }],
        permit_ttl: 10,
      };
      const permit = await main.withRules([rule], () => main.newPermit({ action }));
      await clock.pass(11);
      await expectRefusedEverywhere(main, permit, 'expired', 'an expired permit');
    },
  },
  {
    id: 'T09-other-mode',
    title: 'a test permit for a live action, and the other way round',
    threats: ['9', '7'],
    aisvs: ['9.2.8', '9.5.2'],
    attack:
      'A permit of a test project, where one key may ask and approve, is shown in a live project; and the reverse.',
    expected: 'permit_invalid, wrong_project.',
    needs: ['both modes'],
    async run(range) {
      for (const [from, to] of [
        [range.in('test'), range.in('live')],
        [range.in('live'), range.in('test')],
      ] as const) {
        const { shown } = await from.newPermit();
        const keys = [to.verifierKey, to.agentKey, to.keys.secret_key ?? to.agentKey];
        const what = `a ${from.mode} permit in a ${to.mode} project`;
        await expectRefusedEverywhere(to, { id: '', shown }, 'wrong_project', what, keys);
        await expectHolds(from, { id: '', shown }, 'where it belongs');
      }
    },
  },
  {
    id: 'T09-other-project',
    title: 'a permit of another project',
    threats: ['9', '10'],
    aisvs: ['9.2.8', '9.5.2'],
    attack: 'A permit is shown, for exactly its action and parameters, to another project’s executor.',
    expected: 'permit_invalid, wrong_project; it stays unused where it belongs.',
    needs: ['agent', 'verifier', 'decider', 'neighbour'],
    async run({ main, neighbour }) {
      const permit = await main.newPermit();
      const keys = [neighbour.verifierKey, neighbour.agentKey, neighbour.secretKey];
      await expectRefusedEverywhere(neighbour, permit, 'wrong_project', 'a permit of another project', keys);
      const { receipt_v2: receipt } = (await main.surfaces[0].read(main.agentKey, permit.id)).body;
      await neighbour.unchanged('a receipt of another project', { whole: false }, async () => {
        const options = { key: neighbour.verifierKey, body: { receipt } };
        const answer = await neighbour.call('POST', '/api/intents/permit/verify', options);
        expectInvalidPermit('A', answer, 'wrong_project', 'a receipt of another project');
      });
      await expectUsed(main, permit, 'where it belongs');
    },
  },
  {
    id: 'T09-introspection',
    title: 'what introspection says of permits that do not hold',
    threats: ['9', '7', '2b', '10'],
    aisvs: ['9.5.2', '9.5.6'],
    attack:
      'Permits that were altered, revoked, used, or belong to another agent are introspected (RFC 7662), in the hope for a milder answer.',
    expected: 'active: false and no more; true for the one that holds, until then.',
    needs: ['agent', 'other agent', 'verifier', 'decider', 'manager'],
    async run(range) {
      const { main } = range;
      if (!range.operations.some(({ route }) => route === 'POST /v1/permits/introspect'))
        throw new NotProvided('a gate that offers introspection');
      const { id, shown } = await main.newPermit();
      const key = main.verifierKey;
      check(await isActive(key, shown.token, main), 'a permit that holds is not active');
      const [header = '', claims = '', signature = ''] = shown.token.split('.');
      const flipped = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`;
      for (const [what, token] of [
        ['another signature', `${header}.${claims}.${flipped}`],
        ['no signature', `${header}.${claims}.`],
        ['a key', main.agentKey],
        ['nothing', 'x'],
      ] as const)
        check(!(await isActive(key, token, main)), `${what} is active`);
      check(
        !(await isActive(await main.otherAgentKey(), shown.token, main)),
        'it is active for another agent',
      );
      const { findNeighbour } = range;
      if (findNeighbour?.keys.verifier_key !== undefined)
        check(
          !(await isActive(findNeighbour.verifierKey, shown.token, main)),
          'it is active in another project',
        );
      const used = await main.newPermit();
      expectDone(await main.surfaces[1].verify(key, { ...used.shown, consume: true }), 'using a permit');
      check(!(await isActive(key, used.shown.token, main)), 'a used permit is active');
      const body = { intent_id: id };
      expectDone(await main.call('POST', '/v1/permits/revoke', { key: main.stopper, body }), 'revoking');
      check(!(await isActive(key, shown.token, main)), 'a revoked permit is active');
    },
  },
  {
    id: 'T09-to-the-second',
    title: 'in the last second of a permit, and of its intent',
    threats: ['9'],
    aisvs: [],
    attack:
      'A permit is used a second before its time is over and on it, with a fresh one, and after its intent.',
    expected: 'It holds to the last second; a fresh one is given while the intent runs, and none after it.',
    needs: ['inside', 'agent', 'verifier', 'decider'],
    async run({ main, clock }) {
      const permit = await main.newPermit({ more: { expires_in: 3600 } });
      const refresh = () =>
        main.call('POST', `/v1/intents/${permit.id}/permit`, { key: main.agentKey, body: {} });
      await clock.pass(299);
      await expectHolds(main, permit, 'in its last second');
      await clock.pass(1);
      await expectRefusedEverywhere(main, permit, 'expired', 'an expired permit');
      const token = permitOf(expectDone(await refresh(), 'asking for a fresh one'));
      await expectUsed(main, { id: permit.id, shown: { ...permit.shown, token } }, 'when it is fresh');
      const late = await main.newPermit({ more: { expires_in: 3600 } });
      await clock.pass(3600);
      await main.unchanged('a permit of an intent that is over', { whole: false }, async () => {
        const path = `/v1/intents/${late.id}/permit`;
        const fresh = await main.call('POST', path, { key: main.agentKey, body: {} });
        const expired_at = new Date(clock.now()).toISOString();
        expectRefused('B', fresh, 410, 'INTENT_EXPIRED', 'a fresh permit', { expired_at });
      });
      await expectRefusedEverywhere(main, late, 'expired', 'a permit of an intent that is over');
    },
  },
];
