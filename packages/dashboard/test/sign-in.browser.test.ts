/** How people sign in and manage their own account, in a real browser with a real gate. */
import { createSecretKey } from 'node:crypto';
import { AxeBuilder } from '@axe-core/playwright';
import { generateSync } from 'otplib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProject } from '../../server/src/gate/projects/create-project.ts';
import { readSmtpUrl } from '../../server/src/outgoing/mail/mail-settings.ts';
import { createInvitation } from '../../server/src/people/invitations/create-invitation.ts';
import { makeResetLink } from '../../server/src/people/recovery/password-reset.ts';
import { makeSetUpLink } from '../../server/src/people/set-up/make-set-up-link.ts';
import { findFreePort } from '../../server/test/fixtures/free-port.ts';
import { runOidcProvider } from '../../server/test/sign-in/run-oidc-provider.ts';
import { addAuthenticator } from './fixtures/add-authenticator.ts';
import { type OpenedBrowser, type OpenedPage, openBrowser } from './fixtures/open-browser.ts';
import { OPERATOR, type ServedGate, serveGate } from './fixtures/serve-gate.ts';

const OWNER = 'owner@example.org';
const PASSWORD = 'seven quiet herons wade';
const ANOTHER = 'blue ladders hum at noon';

let browser: OpenedBrowser;
let served: ServedGate;
beforeAll(async () => {
  browser = await openBrowser();
  served = await serveGate();
  await setUpByHand();
});
afterAll(async () => {
  await served.close();
  await browser.close();
});

/** The set-up link of a gate that has no way to sign in yet, as a path. */
async function linkPath(link: Promise<string | null> | string | null): Promise<string> {
  const { pathname, hash } = new URL((await link) ?? '');
  return pathname + hash;
}

/** Once for all tests: from then on the owner has a password. */
async function setUpByHand(): Promise<void> {
  const page = await browser.open(served, null, await linkPath(makeSetUpLink(served.gate)));
  await page.getByLabel('Your name').fill('Olive Owner');
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Not now, go to the inbox' }).click();
  await page.waitForURL('**/inbox');
  await page.context().close();
}

async function fillSignIn(page: OpenedPage, email: string, password: string): Promise<void> {
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

async function signedInPage(path: string): Promise<OpenedPage> {
  return browser.open(served, await served.addPerson(OWNER, 'owner'), path);
}

async function signOut(page: OpenedPage): Promise<void> {
  await page.locator('.shell-header summary').click();
  await page.locator('.menu-panel').getByRole('button', { name: 'Sign out' }).click();
}

/** Checks the current page with axe, including a dialog. */
async function expectAccessible(page: OpenedPage): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(', ')}`)).toEqual([]);
}

/** Makes the session's last proof of presence old. */
async function forgetPresence(): Promise<void> {
  const { read } = served.gate.storage;
  const owner = await read.findUserByEmail(OWNER);
  for (const { id } of await read.listSessions(owner?.id ?? ''))
    await served.gate.storage.transaction((tx) => tx.confirmSession(id, '2020-01-01T00:00:00.000Z'));
}

/** Also accepted when clocks differ by half a minute, so that a test cannot fall between two codes. */
function codeOf(secret: string, stepsAhead = 0): string {
  return generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + 30 * stepsAhead });
}

describe('the set-up link', () => {
  test('leads from a new gate to the inbox; a mistake is shown at its field, and typed text stays', async () => {
    const fresh = await serveGate();
    const page = await browser.open(fresh, null, '/inbox');
    await page.getByText('This gate is new').waitFor();
    expect(new URL(page.url()).pathname).toBe('/sign-in');

    const path = await linkPath(makeSetUpLink(fresh.gate));
    await page.goto(`${fresh.url}${path}`);
    await page.getByRole('heading', { name: 'Set up this gate' }).waitFor();
    await expect.poll(() => page.getByLabel('Email address').inputValue()).toBe(OWNER);
    await page.getByLabel('Your name').fill('Olive');
    await page.getByLabel('Password', { exact: true }).fill('short');
    await page.getByRole('button', { name: 'Continue' }).click();
    const field = page.getByLabel('Password', { exact: true });
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
    const words = async () => {
      const described = (await field.getAttribute('aria-describedby')) ?? '';
      const parts = described.split(' ').map((id) => page.locator(`[id="${id}"]`).innerText());
      return (await Promise.all(parts)).join(' ');
    };
    await expect.poll(words).toContain('at least 12 characters');
    await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await page.getByLabel('Your name').inputValue()).toBe('Olive');

    await field.fill(PASSWORD);
    await addAuthenticator(page);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.waitForURL('**/inbox');
    const owner = await fresh.gate.storage.read.findUserByEmail(OWNER);
    expect(await fresh.gate.storage.read.listPasskeys(owner?.id ?? '')).toHaveLength(1);

    await page.goto(`${fresh.url}${path}`);
    await page.getByRole('heading', { name: 'This link does not work' }).waitFor();
    await page.context().close();
    await fresh.close();
  });
});

describe('signing in', () => {
  test('comes back to the request that was opened', async () => {
    const id = await served.ask('payments.refund', { amount: 12 });
    const page = await browser.open(served, null, `/approve/${id}`);
    await page.getByText('Sign in to review this request.').waitFor();
    await fillSignIn(page, OWNER, PASSWORD);
    await page.waitForURL(`**/approve/${id}`);
    await page.context().close();
  });

  test('never goes elsewhere afterwards', async () => {
    const page = await browser.open(served, null, '/sign-in?return_to=%2F%5Cevil.example%2F');
    await fillSignIn(page, OWNER, PASSWORD);
    await page.waitForURL('**/inbox');
    expect(new URL(page.url()).origin).toBe(served.url);
    await page.context().close();
  });

  test('says the same of an unknown account and a wrong password, and keeps what was typed', async () => {
    const page = await browser.open(served, null, '/sign-in');
    const said: string[] = [];
    for (const email of [OWNER, 'nobody@example.org']) {
      const refused = page.waitForResponse('**/console/sign-in');
      await fillSignIn(page, email, 'not the password');
      expect((await refused).status()).toBe(401);
      // Until then, the page still shows the previous attempt.
      const button = page.getByRole('button', { name: 'Sign in', exact: true });
      await expect.poll(() => button.getAttribute('aria-busy')).toBeNull();
      const alert = page.getByRole('main').getByRole('alert');
      await alert.waitFor();
      said.push(await alert.innerText());
      expect(await page.getByLabel('Email address').inputValue()).toBe(email);
    }
    expect(said[0]).toBe(said[1]);
    expect(said[0]).toContain('wrong');
    expect(await page.context().cookies()).toEqual([]);
    await page.context().close();
  });

  test('asks for what is missing before anything is sent', async () => {
    const page = await browser.open(served, null, '/sign-in');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('Enter your email address.').waitFor();
    expect(await page.getByLabel('Email address').getAttribute('autocomplete')).toBe('username webauthn');
    expect(await page.getByLabel('Password', { exact: true }).getAttribute('autocomplete')).toBe(
      'current-password',
    );
    await page.context().close();
  });

  test('a session that ended elsewhere leads to sign-in and back', async () => {
    const page = await signedInPage('/account');
    await page.getByRole('heading', { name: 'Profile' }).waitFor();
    const owner = await served.gate.storage.read.findUserByEmail(OWNER);
    await served.gate.storage.transaction((tx) =>
      tx.endSessions(owner?.id ?? '', null, served.gate.clock.now()),
    );
    await page.getByRole('link', { name: 'Sessions' }).click();
    await page.waitForURL('**/sign-in?return_to=%2Faccount%2Fsessions');
    await fillSignIn(page, OWNER, PASSWORD);
    await page.waitForURL('**/account/sessions');
    await page.context().close();
  });

  test('signing out takes the cookie and the pages away', async () => {
    const page = await signedInPage('/account');
    await signOut(page);
    await page.waitForURL('**/sign-in');
    await expect.poll(() => page.context().cookies()).toEqual([]);
    await page.goBack();
    await page.waitForURL('**/sign-in**');
    await page.context().close();
  });
});

describe('a passkey', () => {
  test('is added with a fresh proof of presence, renamed, used to sign in, and removed', async () => {
    const page = await signedInPage('/account/security');
    await addAuthenticator(page);
    await forgetPresence();
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    const add = page.getByRole('dialog', { name: 'Add a passkey' });
    await add.getByLabel('Name').fill('Desk key');
    await add.getByRole('button', { name: 'Continue' }).click();
    const confirm = page.getByRole('dialog', { name: 'Confirm it’s you' });
    await confirm.getByLabel('Your password').fill('not it at all');
    await confirm.getByRole('button', { name: 'Confirm' }).click();
    await confirm.getByText('Wrong password.').waitFor();
    await expectAccessible(page);
    await confirm.getByLabel('Your password').fill(PASSWORD);
    await confirm.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('button', { name: 'Rename Desk key' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Blue key');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Blue key').first().waitFor();

    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download key file' }).click();
    expect((await download).suggestedFilename()).toBe('approver-keys.json');

    // The browser offers the passkey in the email field, and this browser picks it at once.
    await signOut(page);
    await page.waitForURL('**/inbox');

    await page.addInitScript(() => {
      PublicKeyCredential.isConditionalMediationAvailable = async () => false;
    });
    await signOut(page);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.waitForURL('**/inbox');

    await page.goto(`${served.url}/account/security`);
    await page.getByText('last used').waitFor();
    await page.getByRole('button', { name: 'Remove Blue key' }).click();
    await page.getByRole('button', { name: 'Remove passkey' }).click();
    await page.getByText('No passkeys yet').waitFor();
    await page.context().close();
  });

  test('prompt that was cancelled leaves the page as it was, and says so', async () => {
    const page = await browser.open(served, null, '/sign-in');
    const { session, authenticatorId } = await addAuthenticator(page);
    await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    await page.getByLabel('Email address').fill(OWNER);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('No passkey was used').waitFor();
    expect(await page.getByLabel('Email address').inputValue()).toBe(OWNER);
    await page.context().close();
  });
});

describe('the second factor', () => {
  test('is set up from a QR code or its text, and required at sign-in; a recovery code replaces it once', async () => {
    const page = await signedInPage('/account/security');
    await page.getByRole('button', { name: 'Set up' }).click();
    await page.getByRole('img', { name: /QR code/ }).waitFor();
    await page.getByText('Can’t scan it?').click();
    const secret = (await page.locator('.account-secret').innerText()).replace(/\s/g, '');
    await page.getByLabel('Enter the six digits that the app shows').fill('000000');
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByText('Wrong code.').waitFor();
    await expectAccessible(page);
    await page.getByLabel('Enter the six digits that the app shows').fill(codeOf(secret));
    await page.getByRole('button', { name: 'Turn on' }).click();

    const codes = page.getByRole('dialog', { name: 'Your recovery codes' });
    await codes.waitFor();
    await expect.poll(() => codes.locator('li code').count()).toBe(10);
    const shown = await codes.locator('li code').allInnerTexts();
    await codes.getByRole('button', { name: 'Done' }).click();
    await codes.getByText('Save the codes first').waitFor();
    await expectAccessible(page);
    const download = page.waitForEvent('download');
    await codes.getByRole('button', { name: 'Download' }).click();
    expect((await download).suggestedFilename()).toBe('permitry-recovery-codes.txt');
    await codes.getByLabel('I’ve saved these codes').check();
    await codes.getByRole('button', { name: 'Done' }).click();
    await page.getByText('10 of 10 recovery codes left').waitFor();
    await page.context().close();

    const again = await browser.open(served, null, '/sign-in');
    await fillSignIn(again, OWNER, PASSWORD);
    await again.getByRole('heading', { name: 'One more step' }).waitFor();
    expect(await again.context().cookies()).toEqual([]);
    await expectAccessible(again);
    const code = again.getByLabel('Code from your authenticator app');
    expect(await code.getAttribute('autocomplete')).toBe('one-time-code');
    await code.fill('000000');
    await again.getByRole('button', { name: 'Sign in', exact: true }).click();
    await again.getByText('Wrong code.').waitFor();
    // The next code, because each works once.
    await code.fill(codeOf(secret, 1));
    await again.getByRole('button', { name: 'Sign in', exact: true }).click();
    await again.waitForURL('**/inbox');
    await again.context().close();

    for (const outcome of ['first', 'second'] as const) {
      const other = await browser.open(served, null, '/sign-in');
      await fillSignIn(other, OWNER, PASSWORD);
      await other.getByRole('button', { name: 'Use a recovery code' }).click();
      await other.getByLabel('Recovery code').fill(shown[0] ?? '');
      await other.getByRole('button', { name: 'Sign in', exact: true }).click();
      if (outcome === 'first') await other.waitForURL('**/inbox');
      else await other.getByText('wrong or was already used').waitFor();
      await other.context().close();
    }

    const owner = await served.addPerson(OWNER, 'owner');
    const last = await browser.open(served, owner, '/account/security');
    await last.getByText('9 of 10 recovery codes left').waitFor();
    await last.getByRole('button', { name: 'Remove app', exact: true }).click();
    await last.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await last.getByText('Not set up.').waitFor();
    await last.context().close();
  });
});

describe('the account', () => {
  test('a new password ends all other sessions, and the old password no longer works', async () => {
    const elsewhere = await signedInPage('/account/sessions');
    const page = await signedInPage('/account/security');
    await page.getByRole('button', { name: 'Change password' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change password' });
    await dialog.getByLabel('Current password').fill('not it');
    await dialog.getByLabel('New password').fill(ANOTHER);
    await dialog.getByRole('button', { name: 'Change password' }).click();
    await dialog.getByText('Wrong password.').waitFor();
    expect(await dialog.getByLabel('New password').inputValue()).toBe(ANOTHER);
    await dialog.getByLabel('Current password').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Change password' }).click();
    await dialog.waitFor({ state: 'detached' });
    await elsewhere.getByRole('link', { name: 'Profile' }).click();
    await elsewhere.waitForURL('**/sign-in**');
    await fillSignIn(elsewhere, OWNER, PASSWORD);
    await elsewhere.getByText('is wrong').waitFor();
    await elsewhere.context().close();
    await page.context().close();

    const { link } = await makeResetLink(served.gate, OPERATOR, { email: OWNER });
    const reset = await browser.open(served, null, await linkPath(link));
    await reset.getByLabel('New password').fill(PASSWORD);
    await reset.getByRole('button', { name: 'Change password' }).click();
    await reset.waitForURL('**/sign-in');
    await fillSignIn(reset, OWNER, PASSWORD);
    await reset.waitForURL('**/inbox');
    await reset.goto(`${served.url}${await linkPath(link)}`);
    await reset.getByLabel('New password').fill(ANOTHER);
    await reset.getByRole('button', { name: 'Change password' }).click();
    await reset.getByRole('heading', { name: 'This link does not work' }).waitFor();
    await reset.context().close();
  });

  test('a gate that cannot send email promises no link, and says who can create one', async () => {
    const page = await browser.open(served, null, '/sign-in');
    await page.getByRole('link', { name: 'Forgot password?' }).click();
    await page.getByText('This gate can’t send email.').waitFor();
    await page.getByText('npx permitry member reset-link').waitFor();
    expect(await page.getByRole('button', { name: 'Send link' }).count()).toBe(0);
    await page.context().close();
  });

  test('a reset link is promised in the same words whether or not the account exists', async () => {
    // Nothing listens there, and nothing is sent: the address is unknown.
    const mailing = await serveGate({
      config: { mail: { smtp: readSmtpUrl('smtp://127.0.0.1:1'), from: null } },
    });
    const page = await browser.open(mailing, null, '/sign-in');
    await page.getByLabel('Email address').fill('nobody@example.org');
    await page.getByRole('link', { name: 'Forgot password?' }).click();
    await page.getByRole('button', { name: 'Send link' }).waitFor();
    await expect.poll(() => page.getByLabel('Email address').inputValue()).toBe('nobody@example.org');
    await page.getByRole('button', { name: 'Send link' }).click();
    await page.getByText('If nobody@example.org can sign in here').waitFor();
    await page.context().close();
    await mailing.close();
  });

  test('sessions are listed, and signed out', async () => {
    const elsewhere = await signedInPage('/account/sessions');
    const page = await signedInPage('/account/sessions');
    await page.getByText('This session').waitFor();
    await expect.poll(() => page.getByText('with one-time link').count()).toBeGreaterThan(1);
    await page.getByRole('button', { name: 'Sign out everywhere else' }).click();
    await page.getByRole('button', { name: 'Sign out other sessions' }).click();
    await page.getByText('Signed out everywhere else.').first().waitFor();
    await expect.poll(() => page.getByText('with one-time link').count()).toBe(1);
    await elsewhere.getByRole('link', { name: 'Security' }).click();
    await elsewhere.waitForURL('**/sign-in**');
    await elsewhere.context().close();
    await page.context().close();
  });

  test('a name is saved, and shown in the menu', async () => {
    const page = await signedInPage('/account');
    await page.getByLabel('Name').fill('Olivia Owner');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.menu-person').getByText('Olivia Owner').waitFor({ state: 'attached' });
    await page.context().close();
  });
});

describe('an invitation', () => {
  const invite = async (email: string) =>
    (
      await createInvitation(served.gate, OPERATOR, {
        projectId: served.projectId,
        email,
        role: 'approver',
      })
    ).link;

  test('makes a new person a member, who chooses a name and a password', async () => {
    const link = await linkPath(await invite('nina@example.org'));
    const page = await browser.open(served, null, link, { width: 390, theme: 'dark' });
    await page.getByText('Approver: approves and denies requests').waitFor();
    await page.getByLabel('Your name').fill('Nina New');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Join project' }).click();
    await page.getByRole('button', { name: 'Not now, go to the inbox' }).click();
    await page.waitForURL('**/inbox');
    const members = await served.gate.storage.read.listMembers(served.projectId);
    expect(members.find(({ email }) => email === 'nina@example.org')).toMatchObject({ role: 'approver' });
    await page.goto(`${served.url}${link}`);
    await page.getByRole('heading', { name: 'This invitation does not work' }).waitFor();
    await page.context().close();
  });

  test('lets a person with an account join once they are signed in, and no other account', async () => {
    const { project } = await createProject(served.gate, OPERATOR, {
      name: 'Second',
      mode: 'test',
      ownerEmail: 'zoe@example.org',
    });
    const { link } = await createInvitation(served.gate, OPERATOR, {
      projectId: project.id,
      email: OWNER,
      role: 'viewer',
    });
    const path = await linkPath(link);
    const nina = await browser.open(served, await served.addPerson('nina@example.org', 'approver'), path);
    await nina.getByText('You are signed in with another account').waitFor();
    await nina.context().close();

    const page = await browser.open(served, null, path);
    await page.getByRole('link', { name: 'Sign in to join' }).click();
    await fillSignIn(page, OWNER, PASSWORD);
    await page.getByRole('button', { name: 'Join project' }).click();
    await page.waitForURL('**/inbox');
    await page.getByRole('option', { name: 'Second' }).waitFor({ state: 'attached' });
    await page.context().close();
  });
});

describe('an OpenID provider', () => {
  test('signs in the people it knows, and returns them to their page; others learn why not', async () => {
    const port = await findFreePort();
    const provider = await runOidcProvider(`http://localhost:${port}/console/oidc/example/callback`);
    const gate = await serveGate({
      config: {
        port,
        oidc: [
          {
            id: 'example',
            name: 'Example',
            issuer: new URL(provider.issuer),
            clientId: provider.clientId,
            clientSecret: createSecretKey(Buffer.from(provider.clientSecret)),
            scope: 'openid email',
          },
        ],
      },
    });
    provider.person = { sub: 'nobody', email: 'nobody@example.org', email_verified: true };
    const page = await browser.open(gate, null, '/account/security');
    await page.getByRole('link', { name: 'Continue with Example' }).click();
    await page.getByText('Nobody here has the email address').waitFor();

    provider.person = { sub: 'olive', email: OWNER, email_verified: true };
    await page.context().clearCookies();
    await page.goto(`${gate.url}/account/security`);
    await page.getByRole('link', { name: 'Continue with Example' }).click();
    await page.waitForURL('**/account/security');
    await page.getByRole('heading', { name: 'Connected identities' }).waitFor();

    // Nobody can remove the last way to sign in.
    await page.getByRole('button', { name: 'Disconnect Example' }).click();
    const dialog = page.getByRole('dialog', { name: 'Disconnect this identity?' });
    await dialog.getByRole('button', { name: 'Disconnect' }).click();
    await dialog.getByText('This is the last way in').waitFor();

    // With an authenticator app at the gate, the provider's word alone is not enough.
    const secret = await page.evaluate(async () => {
      const answer = await fetch('/console/account/totp', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
      return String(((await answer.json()) as { secret: string }).secret);
    });
    const confirmed = await page.evaluate(async (code) => {
      const body = JSON.stringify({ code });
      const headers = { 'content-type': 'application/json' };
      return (await fetch('/console/account/totp/confirm', { method: 'POST', headers, body })).status;
    }, codeOf(secret));
    expect(confirmed).toBe(200);
    await page.context().clearCookies();
    await page.goto(`${gate.url}/history`);
    await page.getByRole('link', { name: 'Continue with Example' }).click();
    await page.getByRole('heading', { name: 'One more step' }).waitFor();
    await expect.poll(() => new URL(page.url()).hash).toBe('');
    await page.getByLabel('Code from your authenticator app').fill(codeOf(secret, 1));
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL('**/history');
    await page.getByRole('heading', { level: 1, name: 'History' }).waitFor();
    await page.context().close();
    await gate.close();
    await provider.close();
  });
});

test('the theme is light, dark or that of the system, and the choice stays', async () => {
  const page = await browser.open(served, null, '/sign-in', { theme: 'light' });
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.getByText('Dark', { exact: true }).click();
  await expect.poll(ground).not.toBe(light);
  const dark = await ground();
  await page.reload();
  await page.getByLabel('Email address').waitFor();
  await expect.poll(ground).toBe(dark);
  await page.getByText('System', { exact: true }).click();
  await expect.poll(ground).toBe(light);
  await page.context().close();
});
