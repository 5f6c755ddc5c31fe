import { call } from '../exchange.ts';
import { REFUND, type Scene } from '../scene.ts';

/** From the agent's next request on, the gate refuses everything, including the agent's existing permits. */
export async function pauseAgent(scene: Scene, unusedPermit: string): Promise<void> {
  const { narrator, agent, owner, payments, gate } = scene;
  const { project_id, agent_id } = gate.credentials;
  const params = { ...REFUND.params, order: 'A-1044', amount: 12 };

  narrator.step('The agent is paused: refused, everywhere and at once');
  const paused = await call(owner, 'POST', `/v1/projects/${project_id}/agents/${agent_id}/pause`);
  narrator.tell(paused, { status: 200, properties: { status: 'paused' }, show: ['name'] });

  agent.give({ kind: 'ask', action: REFUND.action, params });
  narrator.tell(await agent.nextExchange(), { status: 403, properties: { 'error.code': 'agent_paused' } });

  const body = { action: REFUND.action, source_type: 'ai_agent', context: params };
  agent.give({ kind: 'call', method: 'POST', path: '/api/intents', body });
  narrator.tell(await agent.nextExchange(), { status: 403, properties: { 'error.code': 'AGENT_PAUSED' } });

  narrator.shorten(unusedPermit, '$SMALL_PERMIT');
  const use = { token: unusedPermit, action: REFUND.action, params, consume: true };
  narrator.tell(await call(payments, 'POST', '/v1/permits/validate', use), {
    status: 400,
    properties: { 'error.code': 'permit_invalid', 'error.reason': 'agent_paused' },
  });
  narrator.why(
    '/v1 and /api are two views of one gate. Even its earlier permit, for 12 euros, is refused until somebody resumes the agent.',
  );
}
