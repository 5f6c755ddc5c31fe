/** Web push: messages that only the browser can decrypt. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addPushDevice, removePushDevice } from '../../src/gate/notifications/push-devices.ts';
import { openPushIdentity } from '../../src/gate/notifications/push-identity.ts';
import { approveInPerson } from '../fixtures/approve-in-person.ts';
import type { Person } from '../fixtures/open-test-gate.ts';
import { type SignedIn, signedIn } from '../fixtures/signed-in.ts';
import { type NotifiedGate, openNotifications } from './open-notifications.ts';
import { type SoftwareBrowser, softwareBrowser, verifyVapid } from './software-browser.ts';

let t: NotifiedGate;
let ann: Person;
let session: SignedIn;

beforeEach(async () => {
  t = await openNotifications({ smtpUrl: null });
  ann = await t.addPerson('ann@example.org', 'approver');
  session = await signedIn(t.gate, ann.userId);
  await t.tell();
});
afterEach(() => t.close());

async function addBrowser(
  path: string,
  who = session,
): Promise<SoftwareBrowser & { id: string; path: string }> {
  const { open, ...address } = softwareBrowser(`${t.posts.url}${path}`);
  const { id } = await addPushDevice(t.gate, await who.caller(), { label: `Browser ${path}`, ...address });
  await t.tell();
  t.posts.received.length = 0;
  return { open, ...address, id, path };
}

const sentTo = ({ path }: { path: string }) => t.posts.received.filter((post) => post.path === path);
const opened = (browser: SoftwareBrowser & { path: string }) =>
  sentTo(browser).map((post) => browser.open(post));

describe('a push message', () => {
  test('says who requests which action, can be read only by the browser, and is signed by the gate', async () => {
    const phone = await addBrowser('/phone');
    const id = await t.ask('payments.refund', { riskTier: 'high', expiresInSeconds: 600 });
    await t.tell();
    const [post, ...others] = sentTo(phone);
    if (!post) throw new Error('nothing came');
    expect(others).toEqual([]);
    expect(phone.open(post)).toEqual({
      title: 'first-agent asks for payments.refund',
      body: 'high risk · First',
      path: `/approve/${id}`,
      tag: id,
      lasting: true,
    });
    expect(post.body.toString('latin1')).not.toContain('refund');
    expect(() => softwareBrowser('https://other.example').open(post)).toThrow();
    const { publicKey } = await openPushIdentity(t.gate);
    expect(verifyVapid(post, publicKey)).toMatchObject({ aud: t.posts.url });
    expect(post.headers).toMatchObject({ urgency: 'high', 'content-encoding': 'aes128gcm' });
    // The message is useless once the intent has expired.
    expect(Number(post.headers.ttl)).toBeLessThanOrEqual(600);
    expect(Number(post.headers.ttl)).toBeGreaterThan(500);
    expect(post.headers.topic).not.toContain(id);
  });

  test('about a decision replaces the one about the pending request', async () => {
    const phone = await addBrowser('/phone');
    const id = await t.ask('a');
    await t.tell();
    await approveInPerson(t.gate, t.owner.userId, id);
    await t.tell();
    const [asked, resolved] = opened(phone);
    expect(resolved).toMatchObject({ title: 'Approved: a', tag: asked?.tag, lasting: false });
    const [first, second] = sentTo(phone);
    expect(second?.headers.topic).toBe(first?.headers.topic);
  });

  test('goes to each device of the person', async () => {
    const devices = [await addBrowser('/phone'), await addBrowser('/desk')];
    await t.ask('a');
    await t.tell();
    for (const device of devices) expect(opened(device)).toHaveLength(1);
  });

  test('announces many simultaneous requests together', async () => {
    const phone = await addBrowser('/phone');
    await Promise.all(Array.from({ length: 12 }, () => t.ask('a')));
    await t.tell();
    expect(opened(phone)).toEqual([
      expect.objectContaining({ title: '12 requests need your review', path: '/inbox', tag: 'many' }),
    ]);
  });
});

describe('a push device', () => {
  test('is removed with its queued messages when its push service no longer knows it', async () => {
    const phone = await addBrowser('/phone');
    const desk = await addBrowser('/desk');
    t.posts.answers.set('/phone', { status: 410 });
    await t.ask('a');
    await t.tell();
    expect((await t.gate.storage.read.listPushSubscriptions(ann.userId)).map(({ id }) => id)).toEqual([
      desk.id,
    ]);
    expect(opened(desk)).toHaveLength(1);
    await t.ask('b');
    await t.tell();
    expect(sentTo(phone)).toHaveLength(1);
    expect(await t.gate.storage.read.countWaitingNotifications()).toBe(0);
  });

  test('cannot be removed by another person', async () => {
    const phone = await addBrowser('/phone');
    const other = await signedIn(t.gate, t.owner.userId);
    await expect(removePushDevice(t.gate, await other.caller(), phone.id)).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await t.gate.storage.read.listPushSubscriptions(ann.userId)).toHaveLength(1);
  });

  test('belongs to the person who added it last', async () => {
    await addBrowser('/shared');
    const other = await signedIn(t.gate, t.owner.userId);
    await addBrowser('/shared', other);
    expect(await t.gate.storage.read.listPushSubscriptions(ann.userId)).toEqual([]);
    expect(await t.gate.storage.read.listPushSubscriptions(t.owner.userId)).toHaveLength(1);
  });

  test('is announced to the person’s other devices when it is added', async () => {
    const phone = await addBrowser('/phone');
    const { open: _, ...address } = softwareBrowser(`${t.posts.url}/desk`);
    await addPushDevice(t.gate, await session.caller(), { label: 'Desk', ...address });
    await t.tell();
    expect(opened(phone)).toMatchObject([{ title: 'A device now receives push messages', path: '/account' }]);
    expect(sentTo({ path: '/desk' })).toEqual([]);
  });

  test.each([
    ['a private address', { endpoint: 'https://169.254.169.254/push' }],
    ['an unencrypted address', { endpoint: 'http://push.example.com/1' }],
    ['a key of the wrong length', { p256dh: 'AAAA' }],
    ['a secret of the wrong length', { auth: 'AAAA' }],
    ['an invisible name', { label: '\u202E' }],
  ])('is refused with %s', async (_, wrong) => {
    const { open: _open, ...address } = softwareBrowser('https://push.example.com/1');
    const adding = addPushDevice(t.gate, await session.caller(), { label: 'Phone', ...address, ...wrong });
    await expect(adding).rejects.toMatchObject({ code: 'invalid_fields' });
    expect(await t.gate.storage.read.listPushSubscriptions(ann.userId)).toEqual([]);
  });

  test('is refused to a person who already has twenty', async () => {
    for (let n = 0; n < 20; n += 1) {
      const { open: _, ...address } = softwareBrowser(`https://push.example.com/${n}`);
      await addPushDevice(t.gate, await session.caller(), { label: 'Phone', ...address });
    }
    const { open: _, ...address } = softwareBrowser('https://push.example.com/20');
    const adding = addPushDevice(t.gate, await session.caller(), { label: 'Phone', ...address });
    await expect(adding).rejects.toMatchObject({ code: 'conflict' });
  });
});

test('the gate’s key pair is created once, and its private key is stored sealed', async () => {
  const [one, other] = await Promise.all([openPushIdentity(t.gate), openPushIdentity(t.gate)]);
  expect(one).toEqual(other);
  const kept = await t.gate.storage.read.findPushIdentity();
  expect(JSON.stringify(kept)).not.toContain(one.privateKey);
});
