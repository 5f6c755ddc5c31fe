/** Threat 8: a permit is used once, however many callers try, and with any token. */
import type { CatalogueEntry } from '../attack-case.ts';
import { check, expectDone, expectInvalidPermit, expectRefused, idOf, permitOf } from '../range/expect.ts';
import type { Answer } from '../range/http-client.ts';
import { LEAVING_SERVER_ADDRESS, LeavingServer } from '../range/leaving-server.ts';
import type { Stage } from '../range/stage.ts';
import type { Surface } from '../range/surfaces.ts';
import { NotProvided } from '../undefended.ts';

async function expectOneUse(
  main: Stage,
  id: string,
  answers: readonly { surface: Surface; answer: Answer }[],
): Promise<void> {
  const used = answers.filter(({ answer }) => answer.status === 200);
  check(
    used.length === 1,
    `${used.length} of ${answers.length} uses succeeded`,
    used[1]?.answer ?? answers[0]?.answer,
  );
  const { consumed, authorizes, intent_id } = used[0]?.answer.body ?? {};
  check(consumed && authorizes && intent_id === id, 'the one that succeeded used nothing', used[0]?.answer);
  for (const { surface, answer } of answers)
    if (answer.status !== 200) expectInvalidPermit(surface.name, answer, 'already_used', 'a second use');
  const uses = (await main.story(id)).filter((type) => type === 'permit.consumed').length;
  check(uses === 1, `the log tells of ${uses} uses`);
}

const ROUNDS = 4;
const AT_ONCE = 20;
/** After a server was unreachable, the gate does not call it for a while. */
const PAUSE_MS = 250;
const MOST_TRIES = 100;

/** Registers the server and approves its tool. Returns the tool's name. */
async function offerTool(main: Stage, server: LeavingServer): Promise<string> {
  const name = main.name('srv');
  const added = await main.manage('POST', '/upstreams', { name, url: server.url });
  if (added.status === 400)
    throw new NotProvided(`a gate that may reach ${LEAVING_SERVER_ADDRESS} (PERMITRY_ALLOW_PRIVATE_TARGETS)`);
  const path = `/upstreams/${idOf(expectDone(added, 'registering a server'))}`;
  main.takeBack(() => main.manage('DELETE', path));
  await main.manage('POST', `${path}/refresh`, {});
  const found = expectDone(await main.manage('GET', `${path}/tools`), 'reading its tools');
  const tools = found.body.data as { name: string; found: { hash: string } | null }[];
  if (tools.length === 0) throw new NotProvided('a gate on this machine, which reaches servers on it');
  const approved = tools.map((tool) => ({ name: tool.name, hash: tool.found?.hash }));
  expectDone(await main.manage('POST', `${path}/tools/approve`, { tools: approved }), 'approving its tools');
  return `${name}.${tools[0]?.name}`;
}

/** Repeats the call until the gate has contacted the server again. */
async function insist(call: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await call();
    if (answer.status !== 503 || tries === MOST_TRIES) return answer;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

export const USED_ONCE: readonly CatalogueEntry[] = [
  {
    id: 'T08-hundred-at-once',
    title: 'a hundred uses at once',
    threats: ['8'],
    aisvs: ['9.2.8'],
    attack:
      'One permit is used a hundred times at the same instant, over a hundred connections, through both surfaces and several keys.',
    expected: 'Exactly one success; already_used for the rest; one permit.consumed in the log.',
    needs: ['agent', 'verifier', 'decider', 'observer'],
    async run({ main, client }) {
      await client.warmUp(100);
      const keys = [main.verifierKey, main.agentKey, main.keys.secret_key ?? main.verifierKey];
      for (let round = 0; round < 3; round += 1) {
        const { id, shown } = await main.newPermit();
        const answers = await Promise.all(
          Array.from({ length: 100 }, async (_, i) => {
            const surface = main.surfaces[(i % 2) as 0 | 1];
            return {
              surface,
              answer: await surface.verify(keys[i % 3] ?? '', { ...shown, consume: true }),
            };
          }),
        );
        await expectOneUse(main, id, answers);
      }
      return '3 rounds of 100';
    },
  },
  {
    id: 'T08-two-permits',
    title: 'two permits of one approval',
    threats: ['8'],
    aisvs: ['9.2.8'],
    attack: 'A fresh permit is asked for, and both are used at once, with a third asked for meanwhile.',
    expected: 'One use for the approval, whichever permit; then no fresh one any more.',
    needs: ['agent', 'verifier', 'decider', 'observer'],
    async run({ main, client }) {
      await client.warmUp(9);
      for (let round = 0; round < 5; round += 1) {
        const { id, shown } = await main.newPermit();
        const redeem = () => main.call('POST', `/v1/intents/${id}/permit`, { key: main.agentKey, body: {} });
        const second = permitOf(expectDone(await redeem(), 'asking for a fresh permit'));
        check(second !== shown.token, 'the fresh permit is the first one again');
        const late = redeem();
        const answers = await Promise.all(
          [shown.token, second, shown.token, second, second, shown.token, second, shown.token].map(
            async (token, i) => {
              const surface = main.surfaces[(i % 2) as 0 | 1];
              return {
                surface,
                answer: await surface.verify(main.verifierKey, { ...shown, token, consume: true }),
              };
            },
          ),
        );
        await expectOneUse(main, id, answers);
        const third = await late;
        await main.unchanged('what was used', { intents: [id], whole: false }, async () => {
          if (third.status === 201) {
            const use = { ...shown, token: permitOf(third), consume: true };
            const again = await main.surfaces[0].verify(main.verifierKey, use);
            expectInvalidPermit('A', again, 'already_used', 'a third permit');
          } else {
            expectInvalidPermit('B', third, 'already_used', 'a third permit');
          }
          const fresh = await redeem();
          expectInvalidPermit('B', fresh, 'already_used', 'asking for a fresh permit of what was used');
        });
      }
      return '5 rounds of 8';
    },
  },
  {
    id: 'T08-run-and-verified',
    title: 'a permit with which a tool is run and which is used elsewhere',
    threats: ['8'],
    aisvs: ['9.2.8'],
    attack: 'One permit for a tool is presented to the gateway and to verify at the same instant, by many.',
    expected: 'One use: the tool is run, or the permit is used elsewhere, and never both or twice.',
    needs: ['agent', 'decider', 'observer'],
    async run({ main, client }) {
      await client.warmUp(20);
      const tool = { action: 'files.delete', params: { path: '/of/an/attack' } };
      for (let round = 0; round < 3; round += 1) {
        const { id, shown } = await main.newPermit({ ...tool, more: { risk_tier: 'medium' } });
        const call = { tool: tool.action, arguments: tool.params, permit_token: shown.token };
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, i) =>
            i % 2 === 0
              ? main.call('POST', '/api/mcp-gateway', { key: main.agentKey, body: call })
              : main.surfaces[0].verify(main.agentKey, { ...shown, consume: true }),
          ),
        );
        const used = answers.filter(({ status }) => status === 200);
        check(used.length === 1, `${used.length} of ${answers.length} uses succeeded`, used[1] ?? answers[0]);
        for (const answer of answers)
          if (answer.status !== 200) expectInvalidPermit('A', answer, 'already_used', 'a second use');
        const done = await main.call('GET', `${main.root}/mock-connectors/files?limit=200`, {
          key: main.observer,
        });
        const records = expectDone(done, 'reading what the tool did').body.data as { intent_id: string }[];
        const runs = records.filter(({ intent_id }) => intent_id === id).length;
        const wasRun = used[0]?.body.status === 'executed';
        check(runs === (wasRun ? 1 : 0), `the tool was run ${runs} times`, used[0]);
      }
      return '3 rounds of 20';
    },
  },
  {
    id: 'T08-given-back',
    title: 'a given-back approval, used twice',
    threats: ['8'],
    aisvs: ['9.2.8'],
    attack:
      'A server leaves between the look of the gate and the call, so that the gate gives the use back. Then many use it at once: by the request, with the permit, and elsewhere.',
    expected: 'One use more, and one call at the server at most; already_used for the rest.',
    needs: ['agent', 'decider', 'manager', 'observer'],
    async run({ main, client }) {
      const server = new LeavingServer();
      await server.open();
      try {
        const tool = await offerTool(main, server);
        await client.warmUp(AT_ONCE);
        let releases = 0;
        for (let round = 0; round < ROUNDS; round += 1) releases += await useTwice(main, server, tool, round);
        return `${ROUNDS} rounds of ${AT_ONCE}, given back ${releases} times`;
      } finally {
        await server.close();
      }
    },
  },
  {
    id: 'T08-outcome-once',
    title: 'an outcome that is reported twice, early, or by somebody else',
    threats: ['8', '2b'],
    aisvs: ['9.4.2'],
    attack: 'The outcome of a use is reported before it, by another key, and by twenty at once.',
    expected: '409 before the use, 403 for others, and one report; every reader is told the same.',
    needs: ['agent', 'verifier', 'secret', 'decider', 'observer'],
    async run({ main, client }) {
      await client.warmUp(20);
      const { id, shown } = await main.newPermit();
      const report = (key: string, outcome: string) =>
        main.call('POST', `/v1/intents/${id}/outcome`, { key, body: { outcome } });
      await main.unchanged('reporting too early', { intents: [id], whole: false }, async () => {
        expectRefused(
          'B',
          await report(main.verifierKey, 'succeeded'),
          409,
          'CONFLICT',
          'reporting too early',
        );
      });
      expectDone(await main.surfaces[0].verify(main.verifierKey, { ...shown, consume: true }), 'using it');
      const foreign = await report(main.secretKey, 'succeeded');
      expectRefused('B', foreign, 403, 'FORBIDDEN', 'another key that reports', { required: 'consumer' });
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => report(main.verifierKey, i % 2 ? 'succeeded' : 'failed')),
      );
      const told = answers.filter(({ status }) => status === 201);
      check(told.length === 1, `${told.length} of 20 reports were taken`, told[1] ?? answers[0]);
      for (const answer of answers)
        if (answer.status !== 201) expectRefused('B', answer, 409, 'CONFLICT', 'a second report');
      const read = await main.surfaces[1].read(main.agentKey, id);
      check(read.body.outcome === told[0]?.body.outcome, 'its requester is told another outcome', read);
      const reports = (await main.story(id)).filter((type) => type === 'outcome.reported').length;
      check(reports === 1, `the log tells of ${reports} reports`);
    },
  },
];

async function useTwice(main: Stage, server: LeavingServer, tool: string, round: number): Promise<number> {
  const run = (body: object) => main.call('POST', '/api/mcp-gateway', { key: main.agentKey, body });
  const call = { tool, arguments: { round } };
  const asked = expectDone(await insist(() => run(call)), 'calling a tool');
  const { connector_request_id, intent_id } = asked.body;
  const id = String(intent_id);
  expectDone(await main.surfaces[1].approve(main.decider, id), 'approving the call');
  const token = permitOf(expectDone(await main.surfaces[1].read(main.agentKey, id), 'reading it'));
  // The gate caches the tools for a second. After that, its next listing makes the server leave.
  await new Promise((resolve) => setTimeout(resolve, 1100));
  server.leaves = true;
  server.calls = 0;
  expectRefused('A', await run({ connector_request_id }), 503, 'SERVICE_UNAVAILABLE', 'a server that left');
  server.leaves = false;
  await server.close();
  await server.open();
  check((await main.story(id)).includes('permit.released'), 'the use was not given back');
  const elsewhere = { token, action: tool, params: call.arguments, consume: true };
  // In every other round only the gateway is called, so that the tool runs.
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, index) => {
      if (round % 2 === 1 && index % 3 === 2) return main.surfaces[0].verify(main.agentKey, elsewhere);
      return insist(() => run(index % 3 === 0 ? { ...call, permit_token: token } : { connector_request_id }));
    }),
  );
  for (const answer of answers)
    if (answer.status !== 200) expectInvalidPermit('A', answer, 'already_used', 'a second use');
  const isRun = ({ body }: Answer) =>
    body.status === 'executed' && body.connector_request_id === connector_request_id;
  const runs = answers.filter((answer) => answer.status === 200 && isRun(answer));
  const others = answers.filter((answer) => answer.status === 200 && !isRun(answer));
  check(others.length + Math.min(runs.length, 1) === 1, 'more than one use succeeded', others[0] ?? runs[0]);
  check(server.calls === Math.min(runs.length, 1), `the server was called ${server.calls} times`);
  const story = await main.story(id);
  const count = (type: string) => story.filter((told) => told === type).length;
  const [uses, releases] = [count('permit.consumed'), count('permit.released')];
  check(uses === releases + 1, `the log tells of ${uses} uses, of which ${releases} were given back`);
  return releases;
}
