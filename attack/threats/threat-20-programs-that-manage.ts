/** Threat 20: in live mode a program stops things, and changes nothing that a rule rests on. */
import type { CatalogueEntry } from '../attack-case.ts';
import { check, expectDone, expectRefused } from '../range/expect.ts';
import type { Stage } from '../range/stage.ts';

/** A secret key, and a person's token made to manage. */
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
              ['POST', '/agents', { name: trusted }],
              ['POST', `/agents/${paused.id}/resume`, {}],
            ] as const) {
              const answer = await live.call(method, live.root + path, { key, body });
              expectRefused('B', answer, 403, 'FORBIDDEN', `${method} ${path} by a program`, {
                required: 'agents:write',
              });
            }
          });
        }
        for (const surface of live.surfaces) {
          const asked = expectDone(await surface.create(agent.key, action, {}, { expires_in: 60 }), 'asking');
          check(asked.body.status === 'pending', `the request is ${String(asked.body.status)}`, asked);
          const held = await surface.create(paused.key, action);
          expectRefused(surface.name, held, 403, 'AGENT_PAUSED', 'asking as the paused agent');
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
    attack: 'A secret key and a token made to manage stop a live project, then start it.',
    expected: '200 for stopping, 403 for starting; the project stays stopped until a person starts it.',
    needs: ['two people in live mode', 'project-wide'],
    async run(range) {
      const live = range.in('live');
      live.takeBack(() => live.manage('POST', '/start', {}));
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
      return undefined;
    },
  },
];
