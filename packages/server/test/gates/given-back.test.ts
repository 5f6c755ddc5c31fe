/**
 * Several gates on one database: when one undoes its use of a permit, another may use the permit, and the tool is
 * called once.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FickleTools } from '../gateway/fickle-tools.ts';
import { type Gates, openGates } from './open-gates.ts';

const ROUNDS = 8;
const REFUSALS = 5;

let t: Gates;
/** The tools that all gates call. */
let tools: FickleTools;
beforeEach(async () => {
  tools = new FickleTools(0);
  t = await openGates(2, { openOutside: () => ({ connectors: tools }) });
});
afterEach(() => t.close());

test('a call whose permit use is given back at one gate while others retry at another is sent once', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const call = { tool: 'lab.work', arguments: { n: round } };
    const asked = await t.replicaIn(round).call('POST', '/api/mcp-gateway', {
      key: t.first.agent_key,
      body: call,
    });
    const { intent_id, connector_request_id } = asked.body;
    const approved = await t
      .replicaIn(round + 1)
      .call('POST', `/v1/intents/${intent_id}/approve`, { key: t.first.secret_key, body: {} });
    expect(approved.status).toBe(200);
    const seen = await t
      .replicaIn(round)
      .call('GET', `/api/intents/${intent_id}`, { key: t.first.agent_key });
    tools.refusals = REFUSALS;
    tools.sent.length = 0;
    const comeBack = async (index: number) => {
      const body =
        index % 3 === 0 ? { ...call, permit_token: seen.body.permit_token } : { connector_request_id };
      for (;;) {
        const answer = await t
          .replicaIn(index)
          .call('POST', '/api/mcp-gateway', { key: t.first.agent_key, body });
        if (answer.status !== 503) return answer;
      }
    };
    const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => comeBack(index)));
    for (const { status, body } of answers) {
      if (status === 200) expect(body).toMatchObject({ status: 'executed', connector_request_id });
      else expect(body.error).toMatchObject({ code: 'INVALID_PERMIT', reason: 'already_used' });
    }
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(8);
    expect(tools.sent).toHaveLength(1);
    const events = await t.events(t.projectId, 'permit.consumed', 'permit.released', 'outcome.reported');
    const count = (type: string) =>
      events.filter((one) => one.type === type && one.intentId === intent_id).length;
    expect([count('permit.consumed'), count('permit.released'), count('outcome.reported')]).toEqual([
      REFUSALS + 1,
      REFUSALS,
      1,
    ]);
  }
});
