/** Threat 8: the gateway undoes a use while others try to use the permit. `T08-given-back` does the same over HTTP. */
import { expect, it, onTestFinished } from 'vitest';
import { FickleTools } from '../../packages/server/test/gateway/fickle-tools.ts';
import { openArena } from './open-arena.ts';
import { expectInvalidPermit, permitOf } from './surfaces.ts';

it('a use that is given back because the tool’s server went away is used only once, here or elsewhere', async () => {
  const tools = new FickleTools(0);
  const arena = await openArena({ mode: 'live', outside: { connectors: tools } });
  onTestFinished(() => arena.close());
  const key = arena.first.agent_key;
  const call = { tool: 'lab.work', arguments: { n: 1 } };
  for (let round = 0; round < 6; round += 1) {
    const asked = await arena.call('POST', '/api/mcp-gateway', { key, body: call });
    const { connector_request_id } = asked.body;
    const id = String(asked.body.intent_id);
    expect((await arena.surfaces[0].approve(arena.owner, id)).status).toBe(200);
    const token = permitOf(await arena.surfaces[0].read(key, id));
    tools.refusals = 6;
    tools.sent.length = 0;
    const tries = Array.from({ length: 24 }, async (_, i) => {
      if (i % 4 === 3) {
        const use = { token, action: call.tool, params: call.arguments, consume: true };
        return { elsewhere: true, answer: await arena.surfaces[(i % 2) as 0 | 1].verify(key, use) };
      }
      const body = i % 4 === 0 ? { ...call, permit_token: token } : { connector_request_id };
      return { elsewhere: false, answer: await arena.call('POST', '/api/mcp-gateway', { key, body }) };
    });
    const answers = await Promise.all(tries);
    for (const { answer } of answers) expect([200, 400, 503]).toContain(answer.status);
    const usedElsewhere = answers.filter(
      ({ elsewhere, answer }) => elsewhere && answer.status === 200,
    ).length;
    expect(usedElsewhere + tools.sent.length).toBeLessThanOrEqual(1);
    const story = arena.story(id);
    const count = (type: string) => story.filter((one) => one === type).length;
    expect(count('permit.consumed') - count('permit.released')).toBe(usedElsewhere + tools.sent.length);
    expect(count('outcome.reported')).toBe(tools.sent.length);
    const after = await arena.surfaces[0].verify(key, { token, action: call.tool, params: call.arguments });
    if (usedElsewhere + tools.sent.length === 1) expectInvalidPermit('A', after, 'already_used');
    else expect(after.status).toBe(200);
  }
});
