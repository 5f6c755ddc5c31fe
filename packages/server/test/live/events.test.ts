/**
 * Programs follow a project's log: every sealed event once and in order, only while they may read it, and at their
 * own pace.
 */
import type { EventType } from '@permitry/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Caller, UserCaller } from '../../src/gate/access/caller.ts';
import { eraseIntent } from '../../src/gate/erasure/erase-intent.ts';
import { GateError } from '../../src/gate/kernel/errors.ts';
import { createProject } from '../../src/gate/projects/create-project.ts';
import { openProgramStream, PROGRAMS, type ProgramLimits } from '../../src/http/surface-b/program-stream.ts';
import { createKey } from '../../src/people/keys/create-key.ts';
import { revokeKey } from '../../src/people/keys/revoke-key.ts';
import { removeMember } from '../../src/people/members/remove-member.ts';
import { endOwnSession } from '../../src/people/sessions/end-session.ts';
import { EventStreams, type StreamLimits } from '../../src/streams/event-streams.ts';
import { SealedTails } from '../../src/streams/sealed-tails.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { signedIn } from '../fixtures/signed-in.ts';
import { type ListeningApp, openListeningApp } from '../waiting/open-listening-app.ts';
import { EventSource, type EventSourceOptions } from './event-source.ts';

let t: ListeningApp;
let events: string;
let open: EventSource[];
const followers: SealedTails[] = [];
beforeEach(async () => {
  t = await openListeningApp();
  events = `${t.url}/v1/projects/${t.projectId}/events`;
  open = [];
});
afterEach(async () => {
  for (const source of open) source.close();
  for (const tails of followers.splice(0)) await tails.close();
  await t.close();
});

function listen(query = '', options: EventSourceOptions = { key: t.first.secret_key }): EventSource {
  const source = new EventSource(`${events}${query}`, options);
  open.push(source);
  return source;
}

async function ask(action = 'deploy'): Promise<string> {
  const { status, body } = await t.call('POST', '/v1/intents', {
    key: t.first.secret_key,
    body: { action, params: { password: 'hunter2' } },
  });
  expect(status).toBe(201);
  return String(body.id);
}

async function audited(query = ''): Promise<Record<string, unknown>[]> {
  const { body } = await t.call('GET', `/v1/projects/${t.projectId}/audit?order=asc&limit=200${query}`, {
    key: t.first.secret_key,
  });
  return body.data as Record<string, unknown>[];
}

describe('a stream of events', () => {
  test('sends events that are sealed after it opens, as the audit route shows them', async () => {
    await ask('before');
    const before = await audited();
    const source = listen();
    await source.until(({ lastEventId }) => lastEventId !== '');
    const id = await ask();
    await t.call('POST', `/v1/intents/${id}/approve`, { key: t.first.secret_key, body: {} });
    await source.until(({ records }) => records.some(({ type }) => type === 'intent.approved'));
    const shown = await audited();
    await source.until(({ records }) => records.length === shown.length - before.length);
    expect(source.records).toEqual(shown.slice(before.length));
    expect(source.messages.map(({ lastEventId }) => Number(lastEventId))).toEqual(source.seqs);
    expect(source.text).not.toMatch(/hunter2|eyJ/);
  });

  test('begins at the given position, and continues from the log with new events', async () => {
    for (let n = 0; n < 120; n += 1) await ask(`deploy.${n}`);
    const shown = await audited();
    const source = listen('?after=0');
    const late = await ask('late');
    await source.until(({ records }) => records.some(({ intent_id: id }) => id === late));
    expect(source.seqs).toEqual(source.seqs.map((_, index) => index + 1));
    expect(source.records.slice(0, shown.length)).toEqual(shown);
  });

  test('resumes after the last ID, which takes precedence over the address', async () => {
    await ask();
    const last = (await audited()).at(-1)?.seq as number;
    const source = listen('?after=0', {
      key: t.first.secret_key,
      headers: { 'last-event-id': String(last - 1) },
    });
    await source.until(({ seqs }) => seqs.includes(last));
    expect(source.seqs).toEqual([last]);
  });

  test('can be limited to some types, and remembers how far it has searched', async () => {
    const [first, second] = [await ask('one'), await ask('two')];
    await t.call('POST', `/v1/intents/${first}/deny`, { key: t.first.secret_key, body: {} });
    const shown = await audited();
    const source = listen('?after=0&type=intent.created,agent.*&type=intent.denied&follow=false');
    await source.untilOver();
    const types = ['intent.created', 'agent.registered', 'intent.denied'];
    expect(source.records).toEqual(shown.filter(({ type }) => types.includes(String(type))));
    expect(source.reasons).toEqual(['caught_up']);
    expect(source.records.map(({ intent_id: id }) => id)).toContain(second);
  });

  test('loses and repeats nothing when it is cut off repeatedly', async () => {
    const start = (await audited()).length;
    const source = listen('?after=0');
    await source.until(({ statuses }) => statuses.length === 1);
    // Replaces the gate's retry time, because otherwise the reader would wait two seconds each time.
    const quick = setInterval(() => Object.assign(source, { retryMs: 5 }), 1);
    for (let n = 0; n < 60; n += 1) {
      await ask(`deploy.${n}`);
      if (n % 15 === 7) {
        await source.until(({ seqs }) => seqs.length > n / 2);
        t.app.server.closeAllConnections();
        await source.until(({ statuses }) => statuses.length > Math.floor(n / 15) + 1);
      }
    }
    await source.until(({ seqs }) => seqs.length >= start + 60);
    clearInterval(quick);
    expect(source.seqs).toEqual(source.seqs.map((_, index) => index + 1));
    expect(source.statuses).toEqual([200, 200, 200, 200, 200]);
  });

  test('sends what another gate on the same log sealed without announcing it', async () => {
    const silent = { ...t.gate, ledger: { ...t.gate.ledger, onSealed: () => () => {} } };
    const onError = (error: unknown) => expect.unreachable(String(error));
    const tails = new SealedTails(silent, onError, { pollMs: 5 });
    followers.push(tails);
    const streams = new EventStreams(tails, onError, PROGRAMS);
    const heard = await hear(streams, t.secret);
    const id = await ask();
    await heard.until(new RegExp(`"intent_id":"${id}"`));
    streams.close();
  });
});

describe('access to the stream of events', () => {
  test('does not reveal that another project exists', async () => {
    const { project } = await createProject(t.gate, OPERATOR, {
      name: 'Other',
      mode: 'test',
      ownerEmail: 'otto@example.org',
    });
    for (const id of [project.id, 'prj_00000000000000000000000000']) {
      const answer = await t.call('GET', `/v1/projects/${id}/events`, { key: t.first.secret_key });
      expect([answer.status, answer.body]).toMatchObject([404, { error: { code: 'project_not_found' } }]);
    }
  });

  test.each([
    'after=-1',
    'after=x',
    'after=01',
    'type=intent.nothing',
    'follow=maybe',
    'since=1',
    'after=999999',
  ])('%s is refused', async (query) => {
    const answer = await t.call('GET', `/v1/projects/${t.projectId}/events?${query}`, {
      key: t.first.secret_key,
    });
    expect([answer.status, answer.body]).toMatchObject([400, { error: { code: 'invalid_request' } }]);
  });

  test('an invalid last ID is refused, and there is no HEAD', async () => {
    const path = `/v1/projects/${t.projectId}/events`;
    for (const id of ['x', '-1', '999999', '1.5']) {
      const headers = { 'last-event-id': id };
      expect((await t.call('GET', path, { key: t.first.secret_key, headers })).status).toBe(400);
    }
    expect((await t.call('HEAD', path, { key: t.first.secret_key })).status).toBe(404);
  });

  test('a credential has at most ten streams, and closing one makes room', async () => {
    const sources = Array.from({ length: 10 }, () => listen());
    for (const source of sources) await source.until(({ lastEventId }) => lastEventId !== '');
    const refused = listen();
    await refused.untilOver();
    expect([refused.statuses, refused.text]).toEqual([[429], expect.stringContaining('rate_limited')]);
    const owner = listen('', { key: t.owner.token });
    await owner.until(({ lastEventId }) => lastEventId !== '');
    sources[0]?.close();
    for (;;) {
      const again = listen();
      await again.until(({ lastEventId, over }) => lastEventId !== '' || over);
      if (!again.over) break;
    }
  });
});

test('limits also apply to a person with many credentials, and to a project with many people', async () => {
  const streams = programStreams();
  const limits = { perCredential: 2, perPerson: 3, perProject: 5 };
  const [ann, bob] = [
    await t.addPerson('ann@example.org', 'viewer'),
    await t.addPerson('bob@example.org', 'viewer'),
  ];
  const of = (caller: UserCaller, credentialId: string) =>
    openOne(streams, { ...caller, credentialId }, { limits }).then(
      () => 'open',
      ({ message }: Error) => message,
    );
  const outcomes = [];
  for (const credentialId of ['one', 'one', 'one', 'two', 'two'])
    outcomes.push(await of(ann.caller, credentialId));
  for (const credentialId of ['three', 'three', 'four']) outcomes.push(await of(bob.caller, credentialId));
  expect(outcomes).toEqual([
    'open',
    'open',
    'A credential has at most 2 event streams at a time.',
    'open',
    'A person, with all their credentials, has at most 3 event streams at a time.',
    'open',
    'open',
    'A project has at most 5 event streams at a time.',
  ]);
  expect(streams.count).toBe(5);
  streams.close();
});

describe('a stream of events ends', () => {
  test('when its key is revoked, even if nothing happens', async () => {
    const { key, record } = await createKey(t.gate, OPERATOR, {
      projectId: t.projectId,
      kind: 'secret',
      name: 'follower',
      ownerEmail: t.owner.email,
    });
    const source = listen('', { key });
    await source.until(({ lastEventId }) => lastEventId !== '');
    await revokeKey(t.gate, OPERATOR, { projectId: t.projectId, keyId: record.id });
    await source.untilOver();
    expect(source.reasons).toEqual(['credential']);
    expect((await t.call('GET', `/v1/projects/${t.projectId}/events`, { key })).status).toBe(401);
  });

  test("for a removed member's own token, service and browser", async () => {
    const ann = await t.addPerson('ann@example.org', 'viewer');
    const service = await t.addService('ann@example.org');
    const browser = await signedIn(t.gate, ann.userId);
    const sources = [
      listen('', { key: ann.token }),
      listen('', { key: service.key }),
      listen('', { headers: { cookie: browser.cookie } }),
      listen('', { key: t.owner.token }),
    ];
    for (const source of sources) await source.until(({ lastEventId }) => lastEventId !== '');
    await removeMember(t.gate, OPERATOR, { projectId: t.projectId, userId: ann.userId });
    await Promise.all(sources.slice(0, 3).map((source) => source.untilOver()));
    const ended = ['credential'];
    expect(sources.map(({ reasons }) => reasons)).toEqual([ended, ended, ended, []]);
  });

  test('when its person signs out', async () => {
    const browser = await signedIn(t.gate, t.owner.userId);
    const source = listen('', { headers: { cookie: browser.cookie } });
    await source.until(({ lastEventId }) => lastEventId !== '');
    await endOwnSession(t.gate, await browser.caller());
    await source.untilOver();
    expect(source.reasons).toEqual(['credential']);
  });

  test('when its key expires', async () => {
    const { key } = await createKey(t.gate, OPERATOR, {
      projectId: t.projectId,
      kind: 'secret',
      name: 'for an hour',
      ownerEmail: t.owner.email,
      expiresAt: new Date(Date.parse(t.clock.now()) + 3_600_000).toISOString(),
    });
    const source = listen('', { key });
    await source.until(({ lastEventId }) => lastEventId !== '');
    t.clock.advance(3601);
    await source.untilOver();
    expect(source.reasons).toEqual(['credential']);
  });

  test('with a message when the gate stops, and later readers are refused', async () => {
    const source = listen('', { key: t.first.secret_key, reconnect: false });
    await source.until(({ lastEventId }) => lastEventId !== '');
    await t.app.close();
    await source.untilOver();
    expect(source.reasons).toEqual(['shutdown']);
    expect(source.retryMs).toBeLessThan(2000);
  });

  test('before it sends what was sealed after its credential ended', async () => {
    const streams = programStreams({ checkMs: 600_000 });
    let ended = false;
    const heard = await hear(streams, t.secret, {
      recheck: async () => {
        if (ended) throw new GateError('unauthorized', 'This key was revoked.', {});
        return undefined;
      },
    });
    await ask();
    await heard.until(/intent.created/);
    ended = true;
    const late = await ask('late');
    await heard.over;
    expect(heard.text).toContain('{"reason":"credential"}');
    expect(heard.text).not.toContain(late);
    streams.close();
  });

  test('when its credential cannot be read (fail closed)', async () => {
    const errors: unknown[] = [];
    const streams = programStreams({ checkMs: 5 }, (error) => errors.push(error));
    const heard = await hear(streams, t.secret, {
      recheck: () => Promise.reject(new Error('the database is away')),
    });
    await heard.over;
    expect(heard.text).toContain('{"reason":"unavailable"}');
    expect(errors).toHaveLength(1);
    streams.close();
  });
});

test('erased text is not sent to later readers, even if others received it before', async () => {
  const source = listen();
  await source.until(({ lastEventId }) => lastEventId !== '');
  const id = await ask();
  const body = { reason: 'not for Eve Evans' };
  await t.call('POST', `/v1/intents/${id}/deny`, { key: t.first.secret_key, body });
  await source.until(({ text }) => text.includes('Eve Evans'));
  const from = source.seqs[0] ?? 0;
  await eraseIntent(t.gate, OPERATOR, { projectId: t.projectId, intentId: id });
  await source.until(({ records }) => records.some(({ type }) => type === 'text.erased'));
  const later = listen(`?after=${from - 1}`);
  await later.until(({ records }) => records.some(({ type }) => type === 'text.erased'));
  expect(later.seqs).toEqual(source.seqs);
  expect(later.text).not.toContain('Eve Evans');
});

describe('a slow reader', () => {
  test('is served no faster than it reads, and gets everything in the end', async () => {
    const streams = programStreams();
    const { stream } = await openOne(streams, t.secret, { after: 0 });
    for (let n = 0; n < 400; n += 1) await ask(`deploy.${n}`);
    await t.gate.ledger.sealNow(t.projectId);
    // The log holds about 400 kB.
    expect(stream.readable.readableLength).toBeLessThan(128 * 1024);
    const heard = listenTo(stream.readable);
    await heard.until(/deploy\.399|"seq":40\d/);
    const seqs = [...heard.text.matchAll(/^id: (\d+)\ndata/gm)].map(([, seq]) => Number(seq));
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
    streams.close();
  });

  test('is cut off when it reads nothing, which frees its place', async () => {
    const streams = programStreams({
      checkMs: 5,
      stalledMs: 20,
    });
    for (let n = 0; n < 60; n += 1) await ask(`deploy.${n}`);
    await t.gate.ledger.sealNow(t.projectId);
    const { stream } = await openOne(streams, t.secret, { after: 0 });
    expect(streams.count).toBe(1);
    await new Promise((resolve) => stream.readable.once('close', resolve));
    expect([stream.readable.destroyed, streams.count]).toEqual([true, 0]);
    streams.close();
  });

  test('is cut off when it reads nothing after its stream has ended, which frees its place', async () => {
    const streams = programStreams({
      checkMs: 5,
      stalledMs: 50,
    });
    for (let n = 0; n < 60; n += 1) await ask(`deploy.${n}`);
    await t.gate.ledger.sealNow(t.projectId);
    const { stream } = await openOne(streams, t.secret, { after: 0 });
    stream.end('credential');
    await new Promise((resolve) => stream.readable.once('close', resolve));
    expect(streams.count).toBe(0);
    streams.close();
  });

  test('gets a heartbeat while nothing happens', async () => {
    const streams = programStreams({
      heartbeatMs: 5,
    });
    const heard = await hear(streams, t.secret);
    await heard.until(/(\n:\nid: \d+\n\n)+/);
    streams.close();
  });

  test('gets a heartbeat while its log only grows by events of other types', async () => {
    const streams = programStreams({ heartbeatMs: 200 });
    const heard = await hear(streams, t.secret, { types: new Set(['upstream.added']) });
    let isHeard = false;
    const beaten = heard.until(/\n:\nid: \d+\n\n/).then(() => {
      isHeard = true;
    });
    // Requests are sealed much more often than the heartbeat is due, so the log is never quiet for that long.
    while (!isHeard) {
      await ask('deploy.busy');
      await t.gate.ledger.sealNow(t.projectId);
    }
    await beaten;
    streams.close();
  });
});

function programStreams(
  limits: Partial<StreamLimits> = {},
  onError: (error: unknown) => void = (error) => expect.unreachable(String(error)),
): EventStreams {
  const tails = new SealedTails(t.gate, onError);
  followers.push(tails);
  return new EventStreams(tails, onError, { ...PROGRAMS, ...limits });
}

async function openOne(
  streams: EventStreams,
  caller: Caller,
  {
    after,
    types,
    recheck = async () => undefined,
    limits,
  }: {
    after?: number;
    types?: ReadonlySet<EventType>;
    recheck?: () => Promise<undefined>;
    limits?: ProgramLimits;
  } = {},
) {
  const request = { caller, projectId: t.projectId, after, types, follows: true, recheck };
  return { stream: await openProgramStream(streams, request, limits) };
}

function listenTo(readable: NodeJS.ReadableStream) {
  const heard = {
    text: '',
    over: new Promise<void>((resolve) => readable.once('end', resolve)),
    async until(pattern: RegExp): Promise<void> {
      while (!pattern.test(heard.text)) await new Promise((resolve) => readable.once('data', resolve));
    },
  };
  readable.on('data', (piece) => {
    heard.text += String(piece);
  });
  return heard;
}

async function hear(streams: EventStreams, caller: Caller, options: Parameters<typeof openOne>[2] = {}) {
  return listenTo((await openOne(streams, caller, options)).stream.readable);
}
