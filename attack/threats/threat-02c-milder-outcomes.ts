/** Threat 2c: the requester's claims about itself never make the outcome milder. */
import type { CatalogueEntry } from '../attack-case.ts';
import { check, expectDone, expectRefused, idOf } from '../range/expect.ts';
import type { Answer } from '../range/http-client.ts';
import { MILD_CONDITIONS, MILD_MATCHES } from '../tables/mild-rules.ts';

/** Rules spelled with escapes, as JSON, and the place that the refusal points to. */
const SPELLED = [
  ['"wh\\u0065n":"m\\u0065tadata.ticket == \'x\'"', '/when'],
  ['"match":{"sourc\\u0065":"release-bot"}', '/match/source'],
  ['"match":{"source_typ\\u0065":"human"}', '/match/source_type'],
] as const;

export const MILDER_OUTCOMES: readonly CatalogueEntry[] = [
  {
    id: 'T02c-risk-tier',
    title: 'an agent lowers its own risk tier',
    threats: ['2c'],
    aisvs: ['9.2.4', '9.2.5', '9.5.3'],
    attack: 'An agent registered as of high risk asks for low, medium, none, and words that are no tier.',
    expected: 'The intent is of high risk; what is no tier is 400.',
    needs: ['manager', 'observer'],
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
        const above = await surface.create(agent.key, main.action('tier'), {}, { risk_tier: 'critical' });
        check(above.body.risk_tier === 'critical', 'a tier above its own is not taken', above);
        await main.unchanged('what is no tier', {}, async () => {
          for (const tier of ['none', 'HIGH', '', 0, null, ['low'], 'low ']) {
            const answer = await surface.create(agent.key, main.action('tier'), {}, { risk_tier: tier });
            const fields = [{ path: '/risk_tier' }];
            expectRefused(surface.name, answer, 400, 'INVALID_FIELDS', `risk_tier ${tier}`, { fields });
          }
        });
      }
    },
  },
  {
    id: 'T02c-source',
    title: 'an agent takes another’s name',
    threats: ['2c'],
    aisvs: ['9.4.1', '9.5.5'],
    attack: 'With its own key an agent asks in the name of another agent, of a person, and of nobody.',
    expected: '403, under its own name in the log: an agent key is exactly one agent.',
    needs: ['manager', 'observer'],
    async run({ main, inside }) {
      const victim = await main.newAgent();
      const own = await main.newAgent();
      for (const surface of main.surfaces) {
        for (const source of [
          victim.name,
          victim.id,
          victim.name.toUpperCase(),
          `${own.name} `,
          own.name.toUpperCase(),
          'owner@example.org',
          'somebody',
        ]) {
          await main.unchanged('another’s name', { whole: false, recorded: true }, async () => {
            const answer = await surface.create(own.key, main.action('source'), {}, { source });
            expectRefused(surface.name, answer, 403, 'FORBIDDEN', `source ${source}`, { required: 'source' });
          });
          check((inside?.written(0).at(-1)?.actorId ?? own.id) === own.id, 'it is recorded of another');
        }
        for (const source of [own.name, own.id]) {
          const made = expectDone(
            await surface.create(own.key, main.action('source'), {}, { source, expires_in: 60 }),
            'asking under its own name',
          );
          const read = await main.surfaces[0].read(own.key, idOf(made));
          check(read.body.source === own.name, 'it is not called by its own name', read);
        }
      }
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
        await main.unchanged('a service as a held agent', {}, async () => {
          for (const surface of main.surfaces) {
            for (const source of [agent.name, agent.id, agent.name.toUpperCase()]) {
              const answer = await surface.create(main.secretKey, main.action('held'), {}, { source });
              expectRefused(surface.name, answer, 403, code, `source ${source}`);
            }
          }
        });
      }
    },
  },
  {
    id: 'T02c-posing',
    title: 'a service that calls itself an agent that a rule allows',
    threats: ['2c'],
    aisvs: ['9.4.1', '9.5.3'],
    attack:
      'A rule allows one agent of high risk by its name; a secret key asks under that name, at low risk.',
    expected: 'It is held to the agent’s risk tier, and waits for a person; the agent itself is let through.',
    needs: ['manager', 'secret', 'project-wide'],
    async run({ main }) {
      const { name, key } = await main.newAgent({ risk_tier: 'high' });
      const action = main.action('posing');
      const when = `agent != null && agent.name == '${name}'`;
      const rule = { name: main.name('rule'), match: { action }, effect: 'allow', when };
      await main.withRules([rule], async () => {
        for (const surface of main.surfaces) {
          const more = { source: name, risk_tier: 'low', expires_in: 60 };
          const posing = await surface.create(main.secretKey, action, {}, more);
          const { status, risk_tier } = posing.body;
          check(status === 'pending' && risk_tier === 'high', `it is ${status} at ${risk_tier}`, posing);
          const genuine = await surface.create(key, action);
          check(genuine.body.status === 'approved', 'the agent itself is not let through', genuine);
        }
      });
    },
  },
  {
    id: 'T02c-mild-rules',
    title: 'a rule that allows what the requester says of itself',
    threats: ['2c', '12'],
    aisvs: ['9.2.4', '9.5.1', '9.5.3'],
    attack: 'A policy is saved that allows by metadata, source or source type, in twenty spellings.',
    expected: '400 when it is saved, with the place; the active policy stays.',
    needs: ['manager', 'project-wide'],
    async run({ main }) {
      const action = main.action('mild');
      const mild = (more: object) => ({ name: 'mild', match: { action }, effect: 'allow', ...more });
      const { body } = await main.manage('GET', '/policies');
      const document = body.policy as { rules: object[] };
      const at = `/rules/${document.rules.length}`;
      const put = (...rules: object[]) =>
        main.manage('PUT', '/policies', { ...document, rules: [...document.rules, ...rules] });
      /** Sends the rule with exactly this spelling. */
      const putText = (rule: string) => {
        const { rules, ...rest } = document;
        const all = [...rules.map((known) => JSON.stringify(known)), rule];
        return main.manage('PUT', '/policies', `${JSON.stringify(rest).slice(0, -1)},"rules":[${all}]}`);
      };
      const attempts: readonly (readonly [string, () => Promise<Answer>, string?])[] = [
        ...MILD_CONDITIONS.map(([name, when]) => [name, () => put(mild({ when })), `${at}/when`] as const),
        ...MILD_MATCHES.map(
          ([property, value]) =>
            [
              `match ${property} ${JSON.stringify(value)}`,
              () => put(mild({ match: { action, [property]: value } })),
              `${at}/match/${property}`,
            ] as const,
        ),
        ...SPELLED.map(
          ([rule, place]) =>
            [
              `a rule that spells its words with escapes: ${rule}`,
              () => putText(`{"name":"mild","\\u0065ffect":"\\u0061llow",${rule}}`),
              at + place,
            ] as const,
        ),
        [
          'a second rule of the same name',
          () => put(mild({ effect: 'deny' }), mild({ when: "metadata.ticket == 'x'" })),
        ],
        ['rules twice', () => putText(`],"rules":[${JSON.stringify(mild({ when: 'size(metadata) > 0' }))}`)],
      ];
      await main.unchanged('saving rules that allow too much', {}, async () => {
        for (const [what, save, path] of attempts) {
          const answer = await save();
          if (answer.status === 200) await main.manage('PUT', '/policies', document);
          const extra = path === undefined ? {} : { fields: [{ path }] };
          expectRefused('B', answer, 400, 'INVALID_FIELDS', `an allow rule on ${what}`, extra);
          if (path?.endsWith('/when'))
            check(answer.text.includes('must not depend on'), `${what}: why?`, answer);
        }
      });
      // The same claims can always make an outcome stricter.
      for (const [, when] of MILD_CONDITIONS)
        await main.withRules([mild({ when, effect: 'deny' })], async () => undefined);
      return `${attempts.length} rules`;
    },
  },
];
