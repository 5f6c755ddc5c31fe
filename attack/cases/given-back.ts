/** Threat 8: an approval that the gate gave back, since nothing was sent, is used once more and not twice. */
import type { AttackCase } from '../attack-case.ts';
import { check, expectDone, expectInvalidPermit, expectRefused, idOf, permitOf } from '../range/expect.ts';
import type { Answer } from '../range/http-client.ts';
import { LEAVING_SERVER_ADDRESS, LeavingServer } from '../range/leaving-server.ts';
import type { Stage } from '../range/stage.ts';
import { NotProvided } from '../undefended.ts';

const ROUNDS = 4;
const AT_ONCE = 20;
/** The gate leaves a server alone for a while that was away. */
const PAUSE_MS = 250;
const MOST_TRIES = 100;

/** Registers the server and approves its tool; answers the tool's name. */
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

/** Until the gate has looked at the server again. */
async function insist(call: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await call();
    if (answer.status !== 503 || tries === MOST_TRIES) return answer;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

export const GIVEN_BACK: readonly AttackCase[] = [
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
];

async function useTwice(main: Stage, server: LeavingServer, tool: string, round: number): Promise<number> {
  const run = (body: object) => main.call('POST', '/api/mcp-gateway', { key: main.agentKey, body });
  const call = { tool, arguments: { round } };
  const asked = expectDone(await insist(() => run(call)), 'calling a tool');
  const { connector_request_id, intent_id } = asked.body;
  const id = String(intent_id);
  expectDone(await main.surfaces[1].approve(main.decider, id), 'approving the call');
  const token = permitOf(expectDone(await main.surfaces[1].read(main.agentKey, id), 'reading it'));
  // The next look is one that it does not outlast; what the gate knows from before counts for a second.
  await new Promise((resolve) => setTimeout(resolve, 1100));
  server.leaves = true;
  server.calls = 0;
  expectRefused('A', await run({ connector_request_id }), 503, 'SERVICE_UNAVAILABLE', 'a server that left');
  server.leaves = false;
  await server.close();
  await server.open();
  check((await main.story(id)).includes('permit.released'), 'the use was not given back');
  const elsewhere = { token, action: tool, params: call.arguments, consume: true };
  // In every other round only the gateway is asked, so that the tool is called.
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
