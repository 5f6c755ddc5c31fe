/** Requests to several gates at the same instant, of which only one may succeed. */
import type { Answer } from '../gate/client.ts';
import { NoAnswer, Unavailable } from '../stories/chronicle.ts';
import { collect, consume, create, vote } from '../stories/intent-steps.ts';
import type { Storyteller } from '../stories/storyteller.ts';

/**
 * A client that waits at one gate learns within this time what happens at another, whatever messages are lost. Shorter
 * than the client's wait.
 */
const REPORTED_WITHIN_MS = 15_000;

export const CONTESTED_STORIES: readonly ((t: Storyteller) => Promise<void>)[] = [
  async function usedByThreeAtOnce(t) {
    const intent = await create(t, 'payments.refund');
    await vote(t, intent, t.random.pick(t.cast.approvers), 'approve');
    await collect(t, intent);
    const { action, params, token } = intent;
    const ask = {
      method: 'POST' as const,
      path: '/v1/permits/validate',
      key: t.cast.verifierKey,
      body: { token, action, params, consume: true },
    };
    const answers = await allOf([1, 2, 3].map(() => t.tell('consume', intent.id, ask, [200, 400])));
    assertOne(t, answers, `${intent.id} was used`);
  },
  async function approvedAndDeniedAtOnce(t) {
    const intent = await create(t, 'database.drop');
    const [ann, ben] = t.cast.approvers;
    if (!ann || !ben) throw new Error('a dispute takes two people');
    const path = `/v1/intents/${intent.id}`;
    const answers = await allOf([
      t.tell(
        'vote',
        intent.id,
        { method: 'POST', path: `${path}/approve`, key: ann.token, body: {} },
        [200, 409],
      ),
      t.tell(
        'vote',
        intent.id,
        { method: 'POST', path: `${path}/deny`, key: ben.token, body: {} },
        [200, 409],
      ),
    ]);
    assertOne(t, answers, `${intent.id} was resolved`);
  },
  async function waitedFor(t) {
    const intent = await create(t, 'files.delete');
    const ask = { method: 'GET' as const, path: `/v1/intents/${intent.id}?wait=20`, key: intent.key };
    const waiting = t.client.ask(ask).then((answer) => ({ answer, at: performance.now() }));
    const approved = vote(t, intent, t.random.pick(t.cast.approvers), 'approve').then(() =>
      performance.now(),
    );
    const [waited, voted] = await Promise.allSettled([waiting, approved]);
    if (voted.status === 'rejected') throw voted.reason;
    if (waited.status === 'rejected') throw waited.reason;
    const { answer, at } = waited.value;
    if (!answer) throw new NoAnswer();
    if (answer.status === 503) throw new Unavailable();
    // If the vote took longer than the wait, the wait could not notice it.
    const isEarly = at < voted.value + REPORTED_WITHIN_MS;
    if (answer.status !== 200 || (answer.body.status !== 'approved' && !isEarly))
      t.chronicle.surprises.push(
        `who waited for ${intent.id} was answered ${answer.status} ${String(answer.body.status)} though it was approved`,
      );
    await consume(t, intent);
  },
  async function sentTwiceAtOnce(t) {
    const marker = t.newName();
    const ask = {
      method: 'POST' as const,
      path: '/v1/intents',
      key: t.cast.agentKey,
      idempotencyKey: `twice ${marker}`,
      body: { action: 'deploy.staging', params: { n: marker } },
    };
    // The second request may find the first one in progress.
    const answers = await allOf([1, 2].map(() => t.tell('create', marker, ask, [201, 409])));
    const ids = new Set(answers.filter(({ status }) => status === 201).map(({ body }) => body.id));
    if (ids.size > 1) t.chronicle.surprises.push(`one request made the intents ${[...ids].join(' and ')}`);
  },
  async function lookedAtFirst(t) {
    const intent = await create(t, 'auto.mail');
    if (intent.token === null) await collect(t, intent);
    const { action, params, token } = intent;
    const answer = await t.client.ask({
      method: 'POST',
      path: '/v1/permits/validate',
      key: t.cast.verifierKey,
      body: { token, action, params },
    });
    if (!answer) throw new NoAnswer();
    if (answer.status === 503) throw new Unavailable();
    if (answer.status !== 200) t.chronicle.surprises.push(`a fresh permit is answered ${answer.status}`);
    await consume(t, intent);
  },
];

function assertOne(t: Storyteller, answers: readonly Answer[], what: string): void {
  const statuses = answers.map(({ status }) => status);
  if (statuses.filter((status) => status === 200).length !== 1)
    t.chronicle.surprises.push(`${what} by requests at once that were answered ${statuses.join(', ')}`);
}

/** Waits for all of them, and then throws the first failure, if any. */
async function allOf<T extends Answer | undefined>(asked: readonly Promise<T>[]): Promise<T[]> {
  const ends = await Promise.allSettled(asked);
  return ends.map((end) => {
    if (end.status === 'rejected') throw end.reason;
    return end.value;
  });
}
