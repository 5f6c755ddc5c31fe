/** Threat 2c: what the requester says of itself never makes the outcome milder. */
import type { CatalogueEntry } from '../attack-case.ts';
import { check, expectDone, expectRefused } from '../range/expect.ts';
import { MILD_CONDITIONS, MILD_MATCHES } from '../tables/mild-rules.ts';

export const MILDER_OUTCOMES: readonly CatalogueEntry[] = [
  {
    id: 'T02c-risk-tier',
    title: 'an agent lowers its own risk tier',
    threats: ['2c'],
    aisvs: ['9.2.4', '9.2.5', '9.5.3'],
    attack: 'An agent registered as of high risk asks for low, medium, none, and words that are no tier.',
    expected: 'The intent is of high risk; what is no tier is 400.',
    needs: ['manager'],
    async run({ main }) {
      const agent = await main.newAgent({ risk_tier: 'high' });
      for (const surface of main.surfaces) {
        for (const asked of ['low', 'medium', 'high', undefined]) {
          const answer = expectDone(
            await surface.create(agent.key, main.action('tier'), {}, { risk_tier: asked, expires_in: 60 }),
            'asking',
          );
          check(
            answer.body.risk_tier === 'high',
            `asked for ${asked}, it is ${String(answer.body.risk_tier)}`,
            answer,
          );
        }
        for (const tier of ['none', 'HIGH', '', 0, null, ['low'], 'low ']) {
          const answer = await surface.create(agent.key, main.action('tier'), {}, { risk_tier: tier });
          expectRefused(surface.name, answer, 400, 'INVALID_FIELDS', `risk_tier ${JSON.stringify(tier)}`);
        }
      }
      return undefined;
    },
  },
  {
    id: 'T02c-source',
    title: 'an agent takes another’s name',
    threats: ['2c'],
    aisvs: ['9.4.1', '9.5.5'],
    attack: 'With its own key an agent asks in the name of another agent, of a person, and of nobody.',
    expected: '403: an agent key is exactly one agent.',
    needs: ['manager', 'agent'],
    async run({ main }) {
      const victim = await main.newAgent();
      for (const surface of main.surfaces) {
        for (const source of [
          victim.name,
          victim.id,
          victim.name.toUpperCase(),
          'owner@example.org',
          'somebody',
        ]) {
          const answer = await surface.create(main.agentKey, main.action('source'), {}, { source });
          expectRefused(surface.name, answer, 403, 'FORBIDDEN', `source ${source}`, { required: 'source' });
        }
      }
      return undefined;
    },
  },
  {
    id: 'T02c-held-agent',
    title: 'a service asks in the name of a paused agent',
    threats: ['2c', '9'],
    aisvs: ['9.4.1', '9.5.6'],
    attack: 'A secret key names an agent that is paused or revoked as its source, in several spellings.',
    expected: 'It is held as that agent is: agent_paused, agent_revoked.',
    needs: ['manager', 'secret'],
    async run({ main }) {
      const agent = await main.newAgent();
      for (const [verb, code] of [
        ['pause', 'AGENT_PAUSED'],
        ['revoke', 'AGENT_REVOKED'],
      ] as const) {
        expectDone(await main.manage('POST', `/agents/${agent.id}/${verb}`, {}), verb);
        for (const surface of main.surfaces) {
          for (const source of [agent.name, agent.id, agent.name.toUpperCase()]) {
            const answer = await surface.create(main.secretKey, main.action('held'), {}, { source });
            expectRefused(surface.name, answer, 403, code, `source ${source}`);
          }
        }
      }
      return undefined;
    },
  },
  {
    id: 'T02c-mild-rules',
    title: 'a rule that allows what the requester says of itself',
    threats: ['2c', '12'],
    aisvs: ['9.2.4', '9.5.1', '9.5.3'],
    attack: 'A policy is saved that allows by metadata, source or source type, in twenty spellings.',
    expected: '400 when it is saved, with the place; the policy in force stays.',
    needs: ['manager', 'project-wide'],
    async run({ main }) {
      const match = { action: main.action('mild') };
      const rules = [
        ...MILD_CONDITIONS.map(([name, when]) => ({
          what: name,
          rule: { name: 'mild', match, effect: 'allow', when },
        })),
        ...MILD_MATCHES.map(([property, value]) => ({
          what: `match ${property} ${JSON.stringify(value)}`,
          rule: { name: 'mild', match: { ...match, [property]: value }, effect: 'allow' },
        })),
      ];
      await main.unchanged('saving rules that allow too much', {}, async () => {
        const { body } = await main.manage('GET', '/policies');
        const document = body.policy as { rules: object[] };
        for (const { what, rule } of rules) {
          const answer = await main.manage('PUT', '/policies', {
            ...document,
            rules: [...document.rules, rule],
          });
          if (answer.status === 200) await main.manage('PUT', '/policies', document);
          expectRefused('B', answer, 400, 'INVALID_FIELDS', `an allow rule on ${what}`);
        }
      });
      return `${rules.length} rules`;
    },
  },
];
