/**
 * Threat 1: the gate refuses a caller without the right before it reads a byte of the body, and records the refusal.
 */
import type { CatalogueEntry } from '../attack-case.ts';
import { check, expectRefused, expectStatus } from '../range/expect.ts';
import { makeThings } from '../range/make-things.ts';
import { fillPath } from '../range/operations.ts';
import type { Range } from '../range/range.ts';
import { surfaceOf } from '../range/surfaces.ts';
import { type CredentialKind, MAY } from '../tables/who-may.ts';

/** This body is harmless, even if the gate wrongly accepts the caller. */
const HALF_A_BODY = '{"decision":"approve","approved_by":';

async function expectKeptOut(range: Range, kind: CredentialKind, key: string): Promise<string> {
  const { main } = range;
  const may: readonly string[] = MAY[kind][main.mode === 'live' ? 'inLive' : 'inTest'];
  const parts = await makeThings(main);
  const closed = range.operations.filter(({ route, isPublic }) => !isPublic && !may.includes(route));
  check(
    closed.length > 10,
    `the gate publishes ${closed.length} operations that this credential may not call: too few to be true`,
  );
  await main.unchanged(`calls by the ${kind}`, { intents: [parts.intent], recorded: true }, async () => {
    for (const operation of closed) {
      const path = fillPath(operation, parts);
      const bodyless = operation.method === 'GET' || operation.method === 'DELETE';
      const answer = await main.call(operation.method, path, {
        key,
        body: bodyless ? undefined : HALF_A_BODY,
      });
      expectRefused(surfaceOf(path), answer, 403, 'FORBIDDEN', `${operation.route} by the ${kind}`);
    }
  });
  return `${closed.length} operations`;
}

export const KEYS_THAT_MAY_NOT: readonly CatalogueEntry[] = [
  {
    id: 'T01-agent-decides',
    title: 'an agent approves its own request',
    threats: ['1'],
    aisvs: ['9.2.1', '9.2.9', '9.3.5', '9.5.3'],
    attack:
      'With its own key an agent approves and denies what it asked for, through every deciding operation.',
    expected: '403 forbidden; the intent is pending as before, and no vote was counted.',
    needs: ['agent', 'verifier', 'observer'],
    async run({ main }) {
      const id = await main.newIntent();
      await main.unchanged(
        'deciding with keys that may not',
        { intents: [id], whole: false, recorded: true },
        async () => {
          for (const key of [main.agentKey, main.verifierKey]) {
            for (const surface of main.surfaces) {
              expectRefused(surface.name, await surface.approve(key, id), 403, 'FORBIDDEN', 'approving');
              expectRefused(surface.name, await surface.deny(key, id), 403, 'FORBIDDEN', 'denying');
            }
          }
        },
      );
    },
  },
  {
    id: 'T01-agent-key',
    title: 'an agent key calls everything it is not given',
    threats: ['1'],
    aisvs: ['9.2.5', '9.2.9', '9.5.1', '9.6.3'],
    attack:
      'With an agent key every published operation on policies, keys, people, agents, decisions and the stop switch is called.',
    expected: '403 forbidden from each, before its body is read; nothing changed.',
    needs: ['agent', 'observer'],
    run: (range) => expectKeptOut(range, 'agent key', range.main.agentKey),
  },
  {
    id: 'T01-verifier-key',
    title: 'a verifier key calls everything it is not given',
    threats: ['1'],
    aisvs: ['9.5.1'],
    attack: 'With an executor’s key every published operation but checking, using and reporting is called.',
    expected: '403 forbidden from each, before its body is read; nothing changed.',
    needs: ['agent', 'verifier', 'observer'],
    run: (range) => expectKeptOut(range, 'verifier key', range.main.verifierKey),
  },
  {
    id: 'T01-viewer',
    title: 'a viewer with a token for everything does more than read',
    threats: ['1'],
    aisvs: ['9.5.1'],
    attack: 'The token of a person who may only look calls every operation that changes something.',
    expected: '403 forbidden from each; nothing changed.',
    needs: ['agent', 'viewer', 'observer'],
    run: (range) => {
      const viewer = range.main.people.find(({ role }) => role === 'viewer');
      return expectKeptOut(range, 'token of a viewer, with every right', viewer?.token ?? '');
    },
  },
  {
    id: 'T01-no-key',
    title: 'without a key',
    threats: ['1'],
    aisvs: ['9.5.3'],
    attack:
      'Every operation is called without a credential, with another scheme, an empty key and a spoilt one.',
    expected: '401 unauthorized from each, in few words; nothing changed.',
    needs: ['agent'],
    async run(range) {
      const closed = range.operations.filter(({ isPublic }) => !isPublic);
      for (const stage of range.ofEachMode) {
        const parts = await makeThings(stage);
        const wrong = ['Basic b3duZXI6eA==', 'Bearer ', `Bearer ${stage.agentKey}x`];
        await stage.unchanged('calls without a key', {}, async () => {
          for (const [index, operation] of closed.entries()) {
            const path = fillPath(operation, parts);
            const call = async (headers: Record<string, string>) => {
              const answer = await stage.call(operation.method, path, { headers });
              expectRefused(surfaceOf(path), answer, 401, 'UNAUTHORIZED', operation.route);
              const members = Object.keys(answer.body.error as object).toSorted();
              check(members.join() === 'code,message,request_id', `${operation.route} tells more`, answer);
            };
            await call({});
            // The gate allows an address a hundred wrong keys a minute. A clock that the arena moves allows more.
            const some = index % 10 === 0 ? [wrong[index % 3] ?? ''] : [];
            for (const authorization of range.inside ? wrong : some) await call({ authorization });
          }
        });
      }
      return `${closed.length} operations`;
    },
  },
  {
    id: 'T01-key-elsewhere',
    title: 'a key that is sent elsewhere than it belongs',
    threats: ['1', '14'],
    aisvs: ['9.5.4'],
    attack:
      'A good key is sent in the query, a cookie, other headers and the body, as a careless proxy or page would.',
    expected: '401 unauthorized: only the Authorization header opens anything.',
    needs: ['agent'],
    async run({ main }) {
      const key = main.agentKey;
      const under = (headers: Record<string, string>) => () => main.call('GET', '/api/intents', { headers });
      const authorization = `Bearer ${key}`;
      const attempts = [
        () => main.call('GET', `/api/intents?api_key=${key}`),
        under({ cookie: `authorization=${authorization}; session=${key}; key=${key}` }),
        under({ 'x-api-key': key, 'proxy-authorization': authorization }),
        () => main.call('POST', '/v1/intents', { body: { action: main.action('x'), key, authorization } }),
        under({ authorization: `Bearer ${key.slice(0, -1)}, ${authorization}` }),
        under({ authorization: key }),
        () => main.call('GET', `http://${key}@localhost/api/intents`),
      ];
      await main.unchanged('a key sent elsewhere', {}, async () => {
        for (const attempt of attempts) expectStatus(await attempt(), 401, 'a key sent elsewhere');
      });
    },
  },
  {
    id: 'T01-recorded',
    title: 'refusals leave a trace',
    threats: ['1', '18'],
    aisvs: ['9.4.2'],
    attack: 'An agent tries to approve its request, hoping that nobody will know.',
    expected: 'An access.refused event in the log, under the agent’s own name.',
    needs: ['agent', 'manager', 'observer'],
    async run({ main }) {
      const agent = await main.newAgent();
      const id = await main.newIntent(main.action('refund'), {}, { key: agent.key });
      await main.surfaces[1].approve(agent.key, id);
      const log = await main.call('GET', `${main.root}/audit?intent_id=${id}&type=access.refused`, {
        key: main.observer,
      });
      const [event] = (log.body.data ?? []) as { actor: { id: string }; data: { route: string } }[];
      check(event !== undefined, 'the refused attempt is in no event', log);
      check(event.actor.id === agent.id, 'the refused attempt stands under another name', log);
    },
  },
];
