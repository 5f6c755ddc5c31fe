/** The steps of an intent's life, each on either surface. */
import type { Approver } from '../gate/cast.ts';
import type { Answer } from '../gate/client.ts';
import { NoAnswer, Unavailable } from './chronicle.ts';
import type { Storyteller } from './storyteller.ts';

/** An intent as the stories know it. */
export interface AskedIntent {
  id: string;
  action: string;
  params: object;
  /** The requester's key. */
  key: string;
  /** The newest permit shown. */
  token: string | null;
}

/** @param more Further members of the request. */
export async function create(t: Storyteller, action: string, more: object = {}): Promise<AskedIntent> {
  const marker = t.newName();
  const params = {
    n: marker,
    amount: t.random.between(1, 100_000) / 100,
    note: 'ü'.repeat(t.random.between(0, 200)),
  };
  const key = t.random.chance(0.7) ? t.cast.agentKey : t.cast.secretKey;
  const onA = t.random.chance(0.5);
  const ask = {
    method: 'POST' as const,
    key,
    ...t.perhapsRepeatable(),
    ...(onA
      ? { path: '/api/intents', body: { action, source_type: 'ai_agent', context: params, ...more } }
      : { path: '/v1/intents', body: { action, params, metadata: { ticket: marker }, ...more } }),
  };
  const { body, status } = await t.tell('create', marker, ask, [201, 403]);
  const id = status === 403 ? (body.error as { intent_id: string }).intent_id : String(body.id);
  return { id, action, params, key, token: tokenIn(body) };
}

/** The result of the vote. */
export async function vote(
  t: Storyteller,
  intent: AskedIntent,
  by: Approver,
  decision: 'approve' | 'deny',
): Promise<Answer> {
  const onA = t.random.chance(0.5);
  const reason = t.random.chance(0.5) ? `because ${t.newName()}` : undefined;
  const words = reason === undefined ? {} : onA || decision === 'deny' ? { reason } : { comment: reason };
  const answer = await t.tell('vote', intent.id, {
    key: by.token,
    ...(onA
      ? { method: 'PATCH', path: `/api/intents/${intent.id}`, body: { decision, ...words } }
      : { method: 'POST', path: `/v1/intents/${intent.id}/${decision}`, body: words }),
  });
  return answer;
}

/** The requester reads its permit. */
export async function collect(t: Storyteller, intent: AskedIntent): Promise<void> {
  const answer = await t.client.ask({ method: 'GET', path: `/v1/intents/${intent.id}`, key: intent.key });
  if (!answer) throw new NoAnswer();
  if (answer.status === 503) throw new Unavailable();
  intent.token = tokenIn(answer.body);
}

export async function redeem(t: Storyteller, intent: AskedIntent): Promise<void> {
  const path = `/v1/intents/${intent.id}/permit`;
  const ask = { method: 'POST' as const, path, key: intent.key, body: {}, ...t.perhapsRepeatable() };
  intent.token = tokenIn((await t.tell('redeem', intent.id, ask)).body);
}

export async function consume(t: Storyteller, intent: AskedIntent): Promise<void> {
  if (intent.token === null) await collect(t, intent);
  const { action, params, token } = intent;
  const onA = t.random.chance(0.5);
  await t.tell('consume', intent.id, {
    method: 'POST',
    key: t.cast.verifierKey,
    ...t.perhapsRepeatable(),
    ...(onA
      ? {
          path: '/api/intents/permit/verify',
          body: { permit_token: token, action, context: params, consume: true },
        }
      : { path: '/v1/permits/validate', body: { token, action, params, consume: true } }),
  });
}

export async function report(t: Storyteller, intent: AskedIntent): Promise<void> {
  await t.tell('outcome', intent.id, {
    method: 'POST',
    path: `/v1/intents/${intent.id}/outcome`,
    key: t.cast.verifierKey,
    body: { outcome: t.random.pick(['succeeded', 'failed', 'unknown']), detail: t.newName() },
    ...t.perhapsRepeatable(),
  });
}

export async function withdraw(t: Storyteller, intent: AskedIntent): Promise<void> {
  const path = `/v1/intents/${intent.id}/withdraw`;
  await t.tell('withdraw', intent.id, { method: 'POST', path, key: intent.key, body: {} });
}

export async function revoke(t: Storyteller, intent: AskedIntent): Promise<void> {
  const body = { intent_id: intent.id, reason: t.newName() };
  await t.tell('revoke', intent.id, {
    method: 'POST',
    path: '/v1/permits/revoke',
    key: t.cast.secretKey,
    body,
  });
}

/** On either surface. */
export function tokenIn(body: Record<string, unknown>): string | null {
  const token = body.permit_token ?? (body.permit as { token?: unknown } | undefined)?.token;
  return typeof token === 'string' ? token : null;
}
