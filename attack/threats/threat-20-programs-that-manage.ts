/** Threat 20: in live mode, a program can stop things, but cannot change anything that a rule relies on. */
import type { CatalogueEntry } from '../attack-case.ts';
import { check, expectDone, expectRefused } from '../range/expect.ts';
import type { Stage } from '../range/stage.ts';

/** A secret key, and a person's token with the right to manage. */
function programsIn(live: Stage): readonly string[] {
  const token = live.people.find(
    ({ role, rights }) => (role === 'admin' || role === 'owner') && rights.includes('manage'),
  )?.token;
  return token === undefined ? [live.secretKey] : [live.secretKey, token];
}

export const PROGRAMS_THAT_MANAGE: readonly CatalogueEntry[] = [
  {
    id: 'T20-what-rules-rest-on',
    title: 'a program makes an agent one that a rule allows',
    threats: ['20', '2c', '3'],
    aisvs: ['9.2.5', '9.5.1'],
    attack:
      'Rules allow by label, name and risk tier of the agent. A secret key and a token made to manage change an agent, register another one, and resume a paused one; then the agent asks.',
    expected: '403 for each change; the agent is as it was, and its request waits for a person.',
    needs: ['two people in live mode', 'project-wide'],
    async run(range) {
      const live = range.in('live');
      const action = live.action('allowed');
      const trusted = live.name('trusted');
      const agent = await live.newAgent({ risk_tier: 'high' });
      const paused = await live.newAgent();
      expectDone(await live.manage('POST', `/agents/${paused.id}/pause`, {}), 'pausing');
      const rule = (name: string, when: string) => ({
        name: live.name(name),
        match: { action },
        when: `agent != null && ${when}`,
        effect: 'allow',
      });
      const rules = [
        rule('label', `'team' in agent.labels && agent.labels.team == '${trusted}'`),
        rule('name', `agent.name == '${trusted}'`),
        rule('tier', "agent.risk_tier == 'low'"),
      ];
      await live.withRules(rules, async () => {
        for (const key of programsIn(live)) {
          await live.unchanged('a program that manages', { recorded: true }, async () => {
            for (const [method, path, body] of [
              ['PATCH', `/agents/${agent.id}`, { labels: { team: trusted } }],
              ['PATCH', `/agents/${agent.id}`, { name: trusted }],
              ['PATCH', `/agents/${agent.id}`, { risk_tier: 'low' }],
              ['PATCH', `/agents/${agent.id}`, { fingerprint: 'sha256:other' }],
              ['POST', '/agents', { name: trusted }],
              ['POST', `/agents/${paused.id}/resume`, {}],
            ] as const) {
              const answer = await live.call(method, live.root + path, { key, body });
              expectRefused('B', answer, 403, 'FORBIDDEN', `${method} ${path} by a program`, {
                required: 'agents:write',
              });
              check(
                answer.text.includes('sign in to the dashboard'),
                'the answer names no way to decide',
                answer,
              );
            }
          });
        }
        for (const surface of live.surfaces) {
          const asked = expectDone(await surface.create(agent.key, action, {}, { expires_in: 60 }), 'asking');
          check(asked.body.status === 'pending', `the request is ${String(asked.body.status)}`, asked);
          const held = await surface.create(paused.key, action);
          expectRefused(surface.name, held, 403, 'AGENT_PAUSED', 'asking as the paused agent');
        }
        const labels = { team: trusted };
        expectDone(await live.manage('PATCH', `/agents/${agent.id}`, { labels }), 'changing it as a person');
        for (const surface of live.surfaces) {
          const asked = await surface.create(agent.key, action);
          check(
            asked.body.status === 'approved',
            'the rule lets nobody through, so this shows nothing',
            asked,
          );
        }
      });
      return `${programsIn(live).length} programs`;
    },
  },
  {
    id: 'T20-stops-only',
    title: 'a program starts again what it may only stop',
    threats: ['20', '9'],
    aisvs: ['9.6.3'],
    attack:
      'A secret key and a token made to manage pause and revoke agents, revoke a permit, stop a live project, then resume and start.',
    expected: '200 for what stops, 403 for what starts; it stays stopped until a person starts it.',
    needs: ['two people in live mode', 'project-wide'],
    async run(range) {
      const live = range.in('live');
      live.takeBack(() => live.manage('POST', '/start', {}));
      const call = (key: string, path: string, body: object = {}) =>
        live.call('POST', path.startsWith('/v1') ? path : live.root + path, { key, body });
      for (const key of programsIn(live)) {
        const agent = await live.newAgent();
        const paused = expectDone(await call(key, `/agents/${agent.id}/pause`), 'pausing');
        check(paused.body.status === 'paused', 'it is not paused', paused);
        await live.unchanged('resuming by a program', { recorded: true }, async () => {
          const answer = await call(key, `/agents/${agent.id}/resume`);
          expectRefused('B', answer, 403, 'FORBIDDEN', 'resuming', { required: 'agents:write' });
        });
        for (const surface of live.surfaces)
          expectRefused(surface.name, await surface.create(agent.key, 'a'), 403, 'AGENT_PAUSED', 'asking');
        expectDone(await live.manage('POST', `/agents/${agent.id}/resume`, {}), 'resuming by a person');
        const { id } = await live.newPermit({ key: agent.key });
        expectDone(await call(key, '/v1/permits/revoke', { intent_id: id }), 'revoking a permit');
        const revoked = expectDone(await call(key, `/agents/${agent.id}/revoke`), 'revoking an agent');
        check(revoked.body.status === 'revoked', 'it is not revoked', revoked);
      }
      try {
        for (const key of programsIn(live)) {
          expectDone(await live.call('POST', `${live.root}/stop`, { key, body: {} }), 'stopping');
          await live.unchanged('starting by a program', { recorded: true }, async () => {
            const answer = await live.call('POST', `${live.root}/start`, { key, body: {} });
            expectRefused('B', answer, 403, 'FORBIDDEN', 'starting', { required: 'project:start' });
          });
        }
        const asked = await live.surfaces[1].create(live.agentKey, live.action('stopped'));
        expectRefused('B', asked, 403, 'PROJECT_STOPPED', 'asking in a stopped project');
      } finally {
        expectDone(await live.manage('POST', '/start', {}), 'starting by a person');
      }
      const easy = range.find('test');
      if (!easy?.keys.secret_key) return undefined;
      const agent = await easy.newAgent();
      for (const [method, path, body] of [
        ['PATCH', `/agents/${agent.id}`, { labels: { team: 'trusted' } }],
        ['POST', `/agents/${agent.id}/pause`, {}],
        ['POST', `/agents/${agent.id}/resume`, {}],
        ['POST', '/stop', {}],
        ['POST', '/start', {}],
      ] as const)
        expectDone(
          await easy.call(method, easy.root + path, { key: easy.secretKey, body }),
          `${path} in test mode`,
        );
    },
  },
  {
    id: 'T20-stale-session',
    title: 'a session whose person was not seen for a while',
    threats: ['20', '14'],
    aisvs: [],
    attack:
      'Sixteen minutes after a sign-in its cookie starts, resumes, registers and changes what it may only stop.',
    expected:
      '403 that asks for presence, nothing changed; pausing and stopping are done. Present, the person may all.',
    needs: ['inside', 'two people in live mode', 'project-wide'],
    async run(range) {
      const live = range.in('live');
      const agent = await live.newAgent();
      const stale = await live.managing();
      await range.clock.pass(16 * 60);
      const path = `/agents/${agent.id}`;
      const send = (method: string, rest: string, body: object = {}) =>
        live.call(method, live.root + rest, { ...stale, body });
      const starting = [
        ['POST', `${path}/resume`],
        ['POST', '/start'],
      ] as const;
      const changing = [
        ['POST', '/agents', { name: live.name('agent') }],
        ['PATCH', path, { labels: { team: 'trusted' } }],
        ['PATCH', path, { name: live.name('agent') }],
        ['PATCH', path, { risk_tier: 'high' }],
        ['PATCH', path, { fingerprint: 'sha256:other' }],
      ] as const;
      await live.unchanged('a session without presence', {}, async () => {
        for (const [method, rest, body] of [...starting, ...changing]) {
          const answer = await send(method, rest, body);
          const proof = { proof_tier: 'session' };
          expectRefused('B', answer, 403, 'PROOF_REQUIRED', `${method} ${rest} without presence`, proof);
        }
      });
      live.takeBack(() => live.manage('POST', '/start', {}));
      for (const rest of [`${path}/pause`, '/stop']) expectDone(await send('POST', rest), rest);
      for (const [method, rest, body = {}] of [...starting.toReversed(), ...changing])
        expectDone(await live.manage(method, rest, body), `${method} ${rest} with presence`);
    },
  },
];
