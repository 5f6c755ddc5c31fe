/** Several gates on one database: equal requests decided at the same moment, in lists or alone. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { asShown } from '../fixtures/as-shown.ts';
import { type SignedIn, signedIn } from '../fixtures/signed-in.ts';
import { type Answer, type Gates, openGates } from './open-gates.ts';

const ROUNDS = 8;

let t: Gates;
let ann: SignedIn;
let bob: SignedIn;

beforeEach(async () => {
  t = await openGates(2);
  ann = await signedIn(t.gate, (await t.addPerson('ann@example.org', 'approver')).userId);
  bob = await signedIn(t.gate, (await t.addPerson('bob@example.org', 'approver')).userId);
  const known = await ask({ known: true });
  await t.replicaIn(0).call('POST', `/v1/intents/${known}/approve`, {
    headers: ann.headers,
    body: await asShown(t.gate, known),
  });
});
afterEach(() => t.close());

async function ask(params: object): Promise<string> {
  const body = { action: 'mail.send', params };
  const { status, body: made } = await t
    .replicaIn(0)
    .call('POST', '/v1/intents', { key: t.first.agent_key, body });
  expect(status).toBe(201);
  return String(made.id);
}

const statusOf = async (id: string) => (await t.gate.storage.read.findIntent(id))?.status;
const approval = async (id: string) => ({
  intent_id: id,
  decision: 'approve',
  ...(await asShown(t.gate, id)),
});
/** Decides one request, as a list of one, at this gate. */
const decide = (round: number, decision: object, who: SignedIn): Promise<Answer> =>
  t.replicaIn(round).call('POST', '/console/decisions', {
    headers: who.headers,
    body: { decisions: [decision] },
  });
const errorOf = ({ body }: Answer) => (body.data as { error?: object }[])[0]?.error;

/** Both decisions at one gate, where they can share a transaction, and at two gates. */
test.each([
  ['one gate', 0],
  ['two gates', 1],
])(
  'when two equal requests are approved in separate lists at %s, only one of them is approved',
  async (_, apart) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const twins = [await ask({ round }), await ask({ round })];
      const [one, two] = await Promise.all(twins.map(approval));
      const answers = await Promise.all([
        decide(round, one ?? {}, ann),
        decide(round + apart, two ?? {}, bob),
      ]);
      expect(answers.map(errorOf).filter((error) => error !== undefined)).toMatchObject([
        { code: 'invalid_request' },
      ]);
      expect((await Promise.all(twins.map(statusOf))).toSorted()).toEqual(['approved', 'pending']);
    }
  },
);

test('when forty equal requests are approved in lists at two gates, only one of them is approved', async () => {
  const ids = [];
  for (let n = 0; n < 40; n += 1) ids.push(await ask({ same: true }));
  const approvals = await Promise.all(ids.map(approval));
  await Promise.all(approvals.map((one, index) => decide(index, one, index % 2 ? ann : bob)));
  const statuses = await Promise.all(ids.map(statusOf));
  expect(statuses.filter((status) => status === 'approved')).toHaveLength(1);
});

test('when one gate denies a request while a list at another approves its equal, the list comes first or is refused', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const [one, other] = [await ask({ round }), await ask({ round })];
    const shown = await approval(other);
    const [list] = await Promise.all([
      decide(round, shown, ann),
      decide(round + 1, { intent_id: one, decision: 'deny' }, bob),
    ]);
    const events = await t.events(t.projectId, 'intent.approved', 'intent.denied');
    const resolved = events.map(({ intentId }) => intentId).filter((id) => id === one || id === other);
    const refusal = errorOf(list);
    expect(resolved).toEqual(refusal ? [one] : [other, one]);
    if (refusal) expect(refusal).toMatchObject({ code: 'conflict' });
  }
});
