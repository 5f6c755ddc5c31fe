/**
 * Threat 23: a person's approval must name the hash of what they were shown, on every surface, for one request or many.
 */
import type { CatalogueEntry } from '../attack-case.ts';
import { check, expectDone, expectRefused, idOf } from '../range/expect.ts';
import type { Answer } from '../range/http-client.ts';
import type { Range } from '../range/range.ts';
import type { Stage } from '../range/stage.ts';

/** Requests that a list does not show in full, and so does not approve. */
const NOT_SHOWN: readonly (readonly [what: string, params: object, metadata?: object])[] = [
  ['that the list cuts', { note: 'x'.repeat(161) }],
  ['with rows that the list folds', { rows: Array.from({ length: 2500 }, (_, id) => ({ id })) }],
  ['in which the list marks a character', { to: 'bob\u202e@example.org' }],
  ['whose words the list marks', {}, { why: 'p\u0430ypal' }],
];

/** An approver at their browser, and the surfaces where they decide. */
async function approverAt(main: Stage) {
  const headers = await main.signIn();
  const look = (id: string) => main.call('GET', `/console/intents/${id}`, { headers });
  const hashOf = async (id: string) => String(expectDone(await look(id), 'looking at it').body.intent_hash);
  return {
    headers,
    hashOf,
    paramsHashOf: async (id: string) => String((await look(id)).body.params_hash),
    /** Each request has its own parameters, because a list does not approve a request that repeats a denied one. */
    ask: (params: object = {}, more: object = {}) =>
      main.newIntent(main.action('shown'), { asked: main.name('shown'), ...params }, more),
    approve: (door: 'A' | 'B', id: string, hash: object) =>
      door === 'A'
        ? main.call('PATCH', `/api/intents/${id}`, { headers, body: { decision: 'approve', ...hash } })
        : main.call('POST', `/v1/intents/${id}/approve`, { headers, body: hash }),
    batch: (decisions: readonly object[], as: object = { headers }) =>
      main.call('POST', '/console/decisions', { ...as, body: { decisions } }),
    approval: async (id: string, shown = id) => ({
      intent_id: id,
      decision: 'approve',
      intent_hash: await hashOf(shown),
    }),
  };
}

/** The results of a batch. */
const resultsOf = ({ body }: Answer) =>
  body.data as { status?: string; error?: { code: string; fields?: { path: string }[] } }[];

/** Runs the attack in each mode in which somebody signs in. The modes treat programs differently, but not people. */
async function inEachMode({ ofEachMode }: Range, attack: (main: Stage) => Promise<void>): Promise<string> {
  const stages = ofEachMode.filter(({ findSignIn }) => findSignIn !== undefined);
  for (const stage of stages) await attack(stage);
  return stages.map(({ mode }) => `${mode} mode`).join(', ');
}

async function approveWithoutTheHash(main: Stage): Promise<void> {
  const { headers, ask, approve, batch, hashOf, paramsHashOf } = await approverAt(main);
  // A list approves only actions that people have approved before.
  const known = await ask();
  expectDone(await approve('B', known, { intent_hash: await hashOf(known) }), 'approving what was shown');
  const hashes: readonly (readonly [string, (id: string) => Promise<object>])[] = [
    ['no hash', async () => ({})],
    ['the hash of another request', async () => ({ intent_hash: await hashOf(known) })],
    ['its params_hash', async (id) => ({ intent_hash: await paramsHashOf(id) })],
    ['its hash in capitals', async (id) => ({ intent_hash: (await hashOf(id)).toUpperCase() })],
    ['an empty hash', async () => ({ intent_hash: '' })],
  ];
  for (const [what, hash] of hashes) {
    const isMissing = what === 'no hash';
    for (const door of ['A', 'B'] as const) {
      const id = await ask();
      const shown = await hash(id);
      await main.unchanged(what, { intents: [id], whole: false }, async () => {
        const answer = await approve(door, id, shown);
        const fields = [{ path: '/intent_hash' }];
        if (isMissing) expectRefused(door, answer, 400, 'MISSING_FIELDS', what, { fields });
        else expectRefused(door, answer, 409, 'CONFLICT', what);
      });
      const right = await approve(door, id, { intent_hash: await hashOf(id) });
      check(right.body.status === 'approved', 'with the right hash it does not count', right);
    }
    const [id, sound] = [await ask(), await ask()];
    const decision = { intent_id: id, decision: 'approve', ...(await hash(id)) };
    const many = await batch([{ intent_id: sound, decision: 'deny' }, decision]);
    if (many.status === 200) {
      const [one, two] = resultsOf(many);
      const isHeld = one?.status === 'denied' && two?.error?.code === 'conflict';
      check(isHeld && !isMissing, `a batch with ${what}`, many);
    } else {
      const code = isMissing ? 'MISSING_FIELDS' : 'INVALID_FIELDS';
      const fields = [{ path: '/decisions/1/intent_hash' }];
      expectRefused('B', many, 400, code, `a batch with ${what}`, { fields });
    }
    const read = await main.surfaces[1].read(main.observer, id);
    const { status, approvals_received } = read.body;
    check(status === 'pending' && approvals_received === 0, `a batch with ${what} counted`, read);
  }
  const denied = await ask();
  await main.unchanged('a denial of something else', { intents: [denied], whole: false }, async () => {
    const path = `/v1/intents/${denied}/deny`;
    const wrong = await main.call('POST', path, { headers, body: { intent_hash: await hashOf(known) } });
    expectRefused('B', wrong, 409, 'CONFLICT', 'a denial of something else');
  });
  const path = `/v1/intents/${denied}/deny`;
  expectDone(await main.call('POST', path, { headers, body: {} }), 'a denial without a hash');
  if (!main.inside) return;
  const first = await ask({}, { expires_in: 60 });
  const intent_hash = await hashOf(first);
  await main.clock.pass(61);
  const asking = { key: main.agentKey, body: {} };
  const again = idOf(await main.call('POST', `/v1/intents/${first}/ask-again`, asking));
  await main.unchanged('the hash of an expired request', { intents: [again] }, async () => {
    for (const door of ['A', 'B'] as const)
      expectRefused(door, await approve(door, again, { intent_hash }), 409, 'CONFLICT', 'an old hash');
  });
}

async function approveInLists(main: Stage): Promise<void> {
  const { ask, approve, approval, batch, hashOf } = await approverAt(main);
  const known = await ask();
  expectDone(await approve('B', known, { intent_hash: await hashOf(known) }), 'approving what was shown');
  const hidden = [
    ...NOT_SHOWN.map(([what, params, metadata = {}]) => [what, () => ask(params, { metadata })] as const),
    ['of an action that nobody approved before', () => main.newIntent(main.action('new'))] as const,
  ];
  for (const [what, asking] of hidden) {
    const id = await asking();
    const decision = await approval(id);
    await main.unchanged(`a request ${what}`, { intents: [id], whole: false }, async () => {
      const many = expectDone(await batch([decision]), 'a batch');
      const [one] = resultsOf(many);
      check(one?.error?.fields?.[0]?.path === '/intent_id', `a batch approves a request ${what}`, many);
    });
    const own = await approve('A', id, { intent_hash: decision.intent_hash });
    check(own.body.status === 'approved', 'it is not approved on its own page either', own);
  }
  const [one, other] = [await ask(), await ask()];
  const exchanged = [await approval(one, other), await approval(other, one)];
  await main.unchanged('exchanged hashes', { intents: [one, other], whole: false }, async () => {
    const many = expectDone(await batch(exchanged), 'a batch');
    for (const { error } of resultsOf(many))
      check(error?.code === 'conflict', 'exchanged hashes approve', many);
  });
  for (const key of [main.decider, main.keys.secret_key ?? main.decider]) {
    const watched = { intents: [one], whole: false, recorded: true };
    const decision = await approval(one);
    await main.unchanged('a program with a batch', watched, async () => {
      const required = { required: 'session' };
      expectRefused('B', await batch([decision], { key }), 403, 'FORBIDDEN', 'a program', required);
    });
  }
  await main.client.warmUp(20);
  const ids = [await ask(), await ask(), await ask()];
  const decisions = await Promise.all(ids.map((id) => approval(id)));
  const answers = await Promise.all(Array.from({ length: 20 }, () => batch(decisions)));
  for (const [place, id] of ids.entries()) {
    const approved = answers.filter((answer) => resultsOf(answer)[place]?.status === 'approved');
    check(approved.length === 1, `${approved.length} of 20 batches approved it`, answers[0]);
    const story = await main.story(id);
    for (const type of ['approval.recorded', 'intent.approved'])
      check(story.filter((told) => told === type).length === 1, `the log tells of ${story.join(', ')}`);
  }
}

export const WHAT_WAS_NOT_SHOWN: readonly CatalogueEntry[] = [
  {
    id: 'T23-no-hash',
    title: 'an approval of something that nobody was shown',
    threats: ['23'],
    aisvs: ['9.2.2'],
    attack:
      'With an approver’s session, requests are approved one by one and in a batch without the hash of what was shown, with the hash of another request, and in a batch although a list does not show them whole.',
    expected: '400 without a hash, 409 with another one, and nothing changes; with the right one it counts.',
    needs: ['agent', 'observer', 'somebody who signs in'],
    run: (range) => inEachMode(range, approveWithoutTheHash),
  },
  {
    id: 'T23-batch',
    title: 'a batch that approves what its list does not show',
    threats: ['23', '4'],
    aisvs: ['9.2.2'],
    attack:
      'A batch approves, with their right hashes, requests that a list cuts, folds or marks, or that nobody approved before; exchanges hashes; is replayed; is sent by programs.',
    expected: 'Each is refused by itself, and approved on its own page; one vote each; 403 for programs.',
    needs: ['agent', 'decider', 'observer', 'somebody who signs in'],
    run: (range) => inEachMode(range, approveInLists),
  },
];
