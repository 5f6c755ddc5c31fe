/** Notification settings as people change them, the service worker, and a project's chat. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readSmtpUrl } from '../../server/src/outgoing/mail/mail-settings.ts';
import { readAddressRanges } from '../../server/src/outgoing/outgoing-addresses.ts';
import { type PostReceiver, receivePosts } from '../../server/test/notifications/receive-posts.ts';
import { softwareBrowser } from '../../server/test/notifications/software-browser.ts';
import { type MailReceiver, receiveMail } from '../../server/test/outgoing/receive-mail.ts';
import { type OpenedBrowser, openBrowser } from './fixtures/open-browser.ts';
import { type ServedGate, serveGate } from './fixtures/serve-gate.ts';

/** Events are sealed, read and delivered within a few rounds. */

let browser: OpenedBrowser;
let served: ServedGate;
let mail: MailReceiver;
let posts: PostReceiver;

beforeAll(async () => {
  mail = await receiveMail();
  posts = await receivePosts();
  served = await serveGate({
    config: {
      mail: { smtp: readSmtpUrl(mail.url), from: null },
      allowPrivateTargets: readAddressRanges('127.0.0.1'),
    },
  });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await served.close();
  await posts.close();
  await mail.close();
});

describe('notification settings', () => {
  test('are chosen by kind and channel, with quiet hours, and stay', async () => {
    const person = await served.addPerson('chooser@example.org', 'approver');
    const page = await browser.open(served, person, '/account/notifications');
    await page.getByLabel('Decided by someone else: Email').check();
    await page.getByLabel('Review requested: Push').uncheck();
    await expect.poll(() => page.getByLabel('Account security: Email').isDisabled()).toBe(true);
    await page.getByLabel('Notify me about pending requests').selectOption('high');
    await page.getByLabel('Hold notifications during quiet hours').check();
    await page.getByLabel('From').fill('21:30');
    await page.getByLabel('Time zone').selectOption('Europe/Vienna');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Notification settings saved.').last().waitFor();
    await page.reload();
    await expect.poll(() => page.getByLabel('Decided by someone else: Email').isChecked()).toBe(true);
    await expect.poll(() => page.getByLabel('From').inputValue()).toBe('21:30');
    expect(await served.gate.storage.read.findPreferences(person.userId)).toMatchObject({
      channels: { waiting: { mail: true, push: false }, resolved: { mail: true, push: true } },
      quietHours: { from: '21:30', to: '07:00', timeZone: 'Europe/Vienna' },
      minimumRiskTier: 'high',
    });
    await page.context().close();
  });

  test('can be tested', async () => {
    const person = await served.addPerson('trier@example.org', 'approver');
    const page = await browser.open(served, person, '/account/notifications');
    await page.getByRole('button', { name: 'Send test notification' }).click();
    await page.getByText('On its way: a test email.').last().waitFor();
    await mail.waitFor(1);
    expect(mail.received[0]).toMatchObject({
      recipients: ['trier@example.org'],
      subject: 'Permitry can reach you here',
    });
    await page.context().close();
  });
});

describe('a browser', () => {
  test('asks for permission only after a press, gets notifications from then on, and can be removed', async () => {
    const person = await served.addPerson('pushed@example.org', 'approver');
    const device = softwareBrowser(`${posts.url}/push/1`);
    const page = await browser.open(served, person, '/sign-in');
    await page.context().grantPermissions(['notifications']);
    // The one part that needs the outside world: the push service of the browser's vendor.
    await page.addInitScript(
      ({ endpoint, p256dh, auth }) => {
        let subscribed = localStorage.getItem('test-subscribed') === 'yes';
        const subscription = {
          endpoint,
          options: { applicationServerKey: new ArrayBuffer(0) },
          toJSON: () => ({ endpoint, keys: { p256dh, auth } }),
          unsubscribe: async () => {
            subscribed = false;
            localStorage.removeItem('test-subscribed');
          },
        };
        PushManager.prototype.getSubscription = async () => (subscribed ? subscription : null) as never;
        PushManager.prototype.subscribe = async () => {
          subscribed = true;
          localStorage.setItem('test-subscribed', 'yes');
          return subscription as never;
        };
      },
      { endpoint: device.endpoint, p256dh: device.p256dh, auth: device.auth },
    );
    await page.goto(`${served.url}/account/notifications`);
    await page.getByRole('button', { name: 'Turn on for this browser' }).click();
    await page.getByText('This browser', { exact: true }).waitFor();
    await served.ask('payments.refund', { amount: 120 }, { risk_tier: 'high' });
    await expect.poll(() => posts.received.filter(({ path }) => path === '/push/1').length).toBe(1);
    const payload = device.open(
      posts.received.find(({ path }) => path === '/push/1') ?? expect.unreachable(),
    );
    expect(payload).toMatchObject({ title: 'first-agent asks for payments.refund', lasting: true });

    await page.getByRole('button', { name: /^Remove/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Turn on for this browser' }).waitFor();
    await expect.poll(() => served.gate.storage.read.listPushSubscriptions(person.userId)).toEqual([]);
    await page.context().close();
  });

  test('with blocked notifications shows how to allow them', async () => {
    const page = await browser.open(served, served.owner, '/sign-in');
    await page.addInitScript(() => {
      Object.defineProperty(Notification, 'permission', { get: () => 'denied' });
    });
    await page.goto(`${served.url}/account/notifications`);
    await page.getByText('are blocked for this site').waitFor();
    await page.context().close();
  });

  test('on an iPhone asks to add Permitry to the home screen', async () => {
    const page = await browser.open(served, served.owner, '/sign-in', { width: 390 });
    await page.addInitScript(() => {
      Object.defineProperty(navigator, 'userAgent', {
        get: () => 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0)',
      });
      Reflect.deleteProperty(window, 'PushManager');
    });
    await page.goto(`${served.url}/account/notifications`);
    await page.getByText('Add Permitry to your home screen first').waitFor();
    await page.context().close();
  });
});

describe('the service worker', () => {
  test('shows a push message without buttons, which opens its page', async () => {
    const page = await browser.open(served, served.owner, '/inbox');
    await page.context().grantPermissions(['notifications']);
    const scope = await page.evaluate(async () => {
      const { active, scope: found } = await navigator.serviceWorker.ready;
      while (active?.state !== 'activated') await new Promise((resolve) => setTimeout(resolve, 20));
      return found;
    });
    const devtools = await page.context().newCDPSession(page);
    const registration = new Promise<string>((resolve) => {
      devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        const [own] = registrations.filter(({ scopeURL }) => scopeURL === scope);
        if (own) resolve(own.registrationId);
      });
    });
    await devtools.send('ServiceWorker.enable');
    const path = '/approve/int_00000000000000000000000000';
    const deliver = async (data: string) =>
      devtools.send('ServiceWorker.deliverPushMessage', {
        origin: new URL(scope).origin,
        registrationId: await registration,
        data,
      });
    const shown = () =>
      page.evaluate(async () => {
        const list = await (await navigator.serviceWorker.ready).getNotifications();
        return list.map((each) => {
          const { title, body, tag, data } = each;
          return { title, body, tag, data, actions: Reflect.get(each, 'actions') };
        });
      });
    const asks = { title: 'bot asks for a', body: 'high risk', path, tag: 'int_1', lasting: true };
    // The developer tools drop messages to a worker that is still starting.
    const shownAfter = (data: string) => async () => {
      await deliver(data);
      return shown();
    };
    await expect
      .poll(shownAfter(JSON.stringify(asks)), { interval: 2000 })
      .toEqual([{ title: 'bot asks for a', body: 'high risk', tag: 'int_1', data: { path }, actions: [] }]);
    const approved = { title: 'Approved: a', body: 'x', path: 'https://evil.example/', tag: 'int_1' };
    await expect
      .poll(shownAfter(JSON.stringify(approved)), { interval: 2000 })
      .toEqual([{ title: 'Approved: a', body: 'x', tag: 'int_1', data: { path: '/inbox' }, actions: [] }]);
    const unreadable = shownAfter('not what it should be');
    await expect
      .poll(async () => (await unreadable()).map(({ title }) => title), { interval: 2000 })
      .toContain('New Permitry notification');
    await page.context().close();
  });

  test('caches the frame of the dashboard for offline use, and no answers of the gate', async () => {
    const expected = /ERR_INTERNET_DISCONNECTED|Failed to load resource/;
    const page = await browser.open(served, served.owner, '/inbox', { expected });
    await page.evaluate(async () => void (await navigator.serviceWorker.ready));
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
    const kept = await page.evaluate(async () => {
      const names = await caches.keys();
      const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
      return requests.flat().map(({ url }) => new URL(url).pathname);
    });
    expect(kept).toContain('/inbox');
    expect(kept.filter((path) => path !== '/inbox' && !path.startsWith('/assets/'))).toEqual([]);
    await page.context().setOffline(true);
    await page.goto(`${served.url}/approve/int_00000000000000000000000000`);
    await page.getByText('You can’t decide requests until').waitFor();
    await page.context().close();
  });

  test('belongs to an app that can be installed', async () => {
    const page = await browser.open(served, served.owner, '/inbox');
    await page.evaluate(async () => void (await navigator.serviceWorker.ready));
    const devtools = await page.context().newCDPSession(page);
    const { errors, url } = await devtools.send('Page.getAppManifest');
    expect(errors).toEqual([]);
    expect(url).toBe(`${served.url}/manifest.webmanifest`);
    const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors');
    // Every window of a test is private, and a private window cannot install apps.
    expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito')).toEqual(
      [],
    );
    await page.context().close();
  });
});

describe('the chat of a project', () => {
  test('is connected, tested and disconnected, and its address is never shown again', async () => {
    const page = await browser.open(served, served.owner, `/projects/${served.projectId}/notifications`);
    const address = page.getByLabel('Address of the incoming webhook');
    await address.fill('https://192.168.0.7/hook');
    await page.getByRole('button', { name: 'Connect chat' }).click();
    await page.getByText('Must not lead into a private network.').waitFor();
    await address.fill(`${posts.url}/services/T0/B0/s3cretTOKN`);
    await page.getByRole('button', { name: 'Connect chat' }).click();
    await page.getByText('…TOKN').waitFor();
    expect(await page.content()).not.toContain('s3cret');
    await page.getByRole('button', { name: 'Send test message' }).click();
    await expect
      .poll(() => posts.received.filter(({ path }) => path === '/services/T0/B0/s3cretTOKN').length)
      .toBe(1);
    await page.getByRole('button', { name: 'Disconnect chat' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect chat' }).click();
    await page.getByLabel('Address of the incoming webhook').waitFor();
    expect(await served.gate.storage.read.findChatHook(served.projectId)).toBeUndefined();
    await page.context().close();
  });
});
