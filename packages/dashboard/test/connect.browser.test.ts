/** A person connects a program at a terminal to their account: what they see, what they press, and the result. */
import { AxeBuilder } from '@axe-core/playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signedIn } from '../../server/test/fixtures/signed-in.ts';
import { SoftwareDeviceKey } from '../../server/test/fixtures/software-device-key.ts';
import { givePassword, PASSWORD } from '../../server/test/sign-in/at-the-console.ts';
import { type OpenedBrowser, type OpenedPage, openBrowser } from './fixtures/open-browser.ts';
import { type BrowserPerson, type ServedGate, serveGate } from './fixtures/serve-gate.ts';

let browser: OpenedBrowser;
let served: ServedGate;
let ann: BrowserPerson;

beforeAll(async () => {
  browser = await openBrowser();
  served = await serveGate({ mode: 'live' });
  ann = await served.addPerson('ann@example.org', 'approver');
});
afterAll(async () => {
  await browser?.close();
  await served?.close();
});

interface Started {
  device_code: string;
  user_code: string;
  verification_uri_complete: string;
}

async function begin(body: object): Promise<Started> {
  const answer = await served.call('POST', '/v1/pairings', { body });
  expect(answer.status).toBe(201);
  return answer.body as unknown as Started;
}
const poll = async ({ device_code }: Started) =>
  (await served.call('POST', '/v1/pairings/poll', { body: { device_code } })).body;

async function openLink({ verification_uri_complete: link }: Started, width = 1280): Promise<OpenedPage> {
  return browser.open(served, ann, link.slice(served.url.length), {
    width,
    theme: width < 500 ? 'dark' : 'light',
  });
}

async function expectAccessible(page: OpenedPage): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' '))}`)).toEqual(
    [],
  );
  const beyond = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  await expect.poll(beyond).toBeLessThanOrEqual(0);
}

describe.each([1280, 390])('at %i pixels', (width) => {
  test('a program that may decide is connected after its code is compared and its rights are read', async () => {
    const started = await begin({
      purpose: 'token',
      name: '<b>permitry</b> on laptop-7',
      rights: ['decide'],
    });
    const page = await openLink(started, width);
    await expect.poll(() => page.getByLabel('Code').inputValue()).toBe(started.user_code);
    await expectAccessible(page);
    expect((await poll(started)).status).toBe('pending');

    await page.getByRole('button', { name: 'The codes match' }).click();
    await page.getByText('Did you start this yourself, just now?').waitFor();
    for (const text of [
      '<b>permitry</b> on laptop-7',
      started.user_code,
      '12 hours',
      'approve and deny as you',
    ]) {
      await expect.poll(() => page.locator('main').innerText()).toContain(text);
    }
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Connect program' }).click();
    await page.getByRole('heading', { name: 'Program connected' }).waitFor();
    await expectAccessible(page);
    expect(await poll(started)).toMatchObject({ status: 'approved', email: ann.email, rights: ['decide'] });
    await page.context().close();
  });

  test('a device key is shown by its fingerprint, and listed in the account until it is removed', async () => {
    const key = new SoftwareDeviceKey();
    const name = `laptop ${width}`;
    const started = await begin({ purpose: 'device_key', name, public_key: key.jwk });
    const page = await openLink(started, width);
    await page.getByRole('button', { name: 'The codes match' }).click();
    await page.getByText('Add this device key to your account?').waitFor();
    const fingerprint = async () => (await page.locator('.hash.long code').innerText()).replaceAll(/\s/g, '');
    await expect.poll(fingerprint).toBe(key.id);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Add device key' }).click();
    await page.getByRole('heading', { name: 'Device key added' }).waitFor();

    await page.goto(`${served.url}/account/security`);
    await page.getByText(name).first().waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: `Rename ${name}` }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill(`desk ${width}`);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: `Remove desk ${width}` }).click();
    await page.getByRole('button', { name: 'Remove device key' }).click();
    await page.getByText('Device key removed.').first().waitFor();
    expect(await served.gate.storage.read.listDeviceKeys(ann.userId)).toEqual([]);
    await page.context().close();
  });
});

test('a program that the person did not start is denied', async () => {
  const started = await begin({ purpose: 'token', name: 'laptop' });
  const page = await openLink(started);
  await page.getByRole('button', { name: 'The codes match' }).click();
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByRole('heading', { name: 'Denied' }).waitFor();
  expect(await poll(started)).toEqual({ status: 'denied' });
  await page.context().close();
});

test('a code can be typed when there is no link, and a wrong code says so', async () => {
  const started = await begin({ purpose: 'token', name: 'laptop' });
  const page = await browser.open(served, ann, '/connect');
  await page.getByLabel('Code').fill('bbbb bbbb');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('Code not found.').waitFor();
  await expectAccessible(page);
  await page.getByLabel('Code').fill(started.user_code.toLowerCase());
  await page.getByLabel('Code').press('Enter');
  await page.getByText('Connect this program to your account?').waitFor();
  await page.context().close();
});

test('a person who signed in with a password confirms again that it is them', async () => {
  const { userId } = await served.addPerson('ben@example.org', 'approver');
  await givePassword(served.gate, userId, PASSWORD);
  const started = await begin({ purpose: 'token', name: 'laptop', rights: ['decide'] });
  const page = await browser.open(served, null, started.verification_uri_complete.slice(served.url.length));
  // To sign-in, and back with the code.
  await page.getByLabel('Email').fill('ben@example.org');
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('button', { name: 'The codes match' }).click();
  await page.getByRole('button', { name: 'Connect program' }).click();
  await page.getByText('Confirm it’s you').waitFor();
  expect((await poll(started)).status).toBe('pending');
  await page.getByLabel('Your password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await page.getByRole('heading', { name: 'Program connected' }).waitFor();
  expect((await poll(started)).status).toBe('approved');
  await page.context().close();
});

test('a person who signs in only with a provider is led to set a password first, and back', async () => {
  const olive = await served.addPerson('olive@example.org', 'approver');
  const { token } = await signedIn(served.gate, olive.userId, ['oidc']);
  const started = await begin({ purpose: 'token', name: 'laptop', rights: ['decide'] });
  const path = started.verification_uri_complete.slice(served.url.length);
  const page = await browser.open(served, { ...olive, token }, path, { width: 390 });
  await page.getByRole('button', { name: 'The codes match' }).click();
  await page.getByText('Set up a password or a passkey first').waitFor();
  expect(await page.getByRole('button', { name: 'Connect program' }).count()).toBe(0);
  await expectAccessible(page);

  await page.getByRole('link', { name: 'Set a password' }).click();
  await page.getByText('A program needs your confirmation').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Set a password' }).click();
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Set password' }).click();

  await page.getByRole('button', { name: 'The codes match' }).click();
  await page.getByRole('button', { name: 'Connect program' }).click();
  await page.getByLabel('Your password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await page.getByRole('heading', { name: 'Program connected' }).waitFor();
  expect((await poll(started)).status).toBe('approved');
  await page.context().close();
});

test('a program that only reads needs no confirmation from them', async () => {
  const rita = await served.addPerson('rita@example.org', 'viewer');
  const { token } = await signedIn(served.gate, rita.userId, ['oidc']);
  const started = await begin({ purpose: 'token', name: 'laptop' });
  const path = started.verification_uri_complete.slice(served.url.length);
  const page = await browser.open(served, { ...rita, token }, path);
  await page.getByRole('button', { name: 'The codes match' }).click();
  await page.getByRole('button', { name: 'Connect program' }).click();
  await page.getByRole('heading', { name: 'Program connected' }).waitFor();
  await page.context().close();
});
