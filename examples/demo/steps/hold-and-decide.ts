import { setTimeout as sleep } from 'node:timers/promises';
import { call } from '../exchange.ts';
import { paint } from '../narrator.ts';
import { askPerson } from '../person.ts';
import { readText } from '../properties.ts';
import { REFUND, type Scene } from '../scene.ts';

/** Long enough to show that the agent waits. */
const MOMENT_MS = 400;

/** The agent sends a request, and the gate holds the refund. Returns the id of the intent. */
export async function askForRefund({ narrator, agent }: Scene): Promise<string> {
  narrator.step('The agent wants to refund 120 euros, and is held');
  agent.give({ kind: 'ask', ...REFUND });
  const asked = await agent.nextExchange();
  narrator.tell(asked, { status: 201, properties: { status: 'pending' }, show: ['id', 'expires_at'] });
  const intentId = readText(asked.answer, 'id');
  narrator.shorten(intentId, '$INTENT');
  narrator.why(
    'Nothing has been paid. No rule matches refunds yet, and without a matching rule a person decides.',
  );

  narrator.line();
  agent.give({ kind: 'call', method: 'POST', path: `/v1/intents/${intentId}/approve`, body: {} });
  narrator.tell(await agent.nextExchange(), {
    status: 403,
    properties: { 'error.code': 'forbidden' },
    show: ['error.message'],
  });
  narrator.why('It tried to approve its own request. An agent key sends requests and can never decide.');
  return intentId;
}

/** Somebody decides. Returns the id of the approved intent, which is another one if the person denied the first. */
export async function decideRefund(
  scene: Scene,
  intentId: string,
): Promise<{ intentId: string; token: string }> {
  const { narrator } = scene;
  narrator.step('A person decides');
  const waiting = { who: 'agent', method: 'GET', path: `/v1/intents/${intentId}?wait=20` };
  narrator.calls(waiting, '… held open until somebody decides');
  const says = await askPerson(
    `\n  ${paint(['bold', 'magenta'], 'Refund 120 EUR for order A-1043? Press y or n (3 seconds).')} `,
  );
  if (says === 'no') {
    await deny(scene, intentId);
    return decideRefund(scene, await askForRefund(scene));
  }
  if (says === 'nobody is there') await sleep(MOMENT_MS);
  narrator.why(WHO_DECIDES[says]);
  return approve(scene, intentId);
}

const WHO_DECIDES = {
  yes: 'You approved. Nobody has signed in yet, so the demo sends your decision with the owner’s secret key.',
  nothing:
    'No answer within 3 seconds, so the demo’s second credential, the owner’s secret key, approves for you.',
  'nobody is there': 'No terminal, so the demo’s second credential, the owner’s secret key, approves.',
} as const;

async function approve({ narrator, agent, owner, gate }: Scene, intentId: string) {
  const approved = await call(owner, 'POST', `/v1/intents/${intentId}/approve`, {
    comment: 'The parcel is back.',
  });
  narrator.tell(approved, {
    status: 200,
    properties: { status: 'approved', resolved_by: gate.credentials.owner_email },
  });
  const read = await agent.nextExchange();
  narrator.tell(read, {
    status: 200,
    properties: { status: 'approved', 'permit.approved_by': gate.credentials.owner_email },
    show: ['permit.expires_at'],
  });
  const token = readText(read.answer, 'permit.token');
  narrator.shorten(token, '$PERMIT');
  narrator.why(
    `The gate answered the agent’s open call at the moment of the decision (after ${read.milliseconds} ms), with a permit.`,
  );
  return { intentId, token };
}

async function deny({ narrator, agent, owner }: Scene, intentId: string): Promise<void> {
  const denied = await call(owner, 'POST', `/v1/intents/${intentId}/deny`, { reason: 'Not today.' });
  narrator.tell(denied, { status: 200, properties: { status: 'denied', reason: 'Not today.' } });
  const read = await agent.nextExchange();
  narrator.tell(read, { status: 200, properties: { status: 'denied' }, show: ['reason', 'permit'] });
  narrator.why(
    'You denied it: the agent has no permit, and the refund does not happen. It sends another request, so that the story can continue.',
  );
}
