/** A session that ends while one of its requests is running can no longer change how the person signs in. */
import { generateSync } from 'otplib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { SessionCaller } from '../../src/gate/access/caller.ts';
import { addPasskey, startAddingPasskey } from '../../src/people/passkeys/add-passkey.ts';
import { listOwnPasskeys, removePasskey } from '../../src/people/passkeys/own-passkeys.ts';
import { changePassword } from '../../src/people/passwords/change-password.ts';
import { finishPasswordReset, makeResetLink } from '../../src/people/recovery/password-reset.ts';
import {
  beginTotp,
  confirmTotp,
  removeTotp,
  renewRecoveryCodes,
} from '../../src/people/second-factor/enrol-totp.ts';
import { removeIdentity } from '../../src/people/sign-in/account.ts';
import { asJson, deviceFor, enrolPasskey } from '../fixtures/enrol-passkey.ts';
import type { Person } from '../fixtures/open-test-gate.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';
import { signedIn } from '../fixtures/signed-in.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';
import { BrowserAt, givePassword, OTHER_PASSWORD, PASSWORD } from './at-the-console.ts';

const THIEFS_PASSWORD = 'nine green ladders hum';

let t: TestApp;
let ann: Person;
/** The thief's session, admitted before the person recovered the account. */
let thief: SessionCaller;
beforeEach(async () => {
  t = await openTestApp({ mode: 'live' });
  ann = await t.addPerson('ann@example.org', 'approver');
  await givePassword(t.gate, ann.userId, PASSWORD);
  thief = await (await signedIn(t.gate, ann.userId, ['link'])).caller();
});
afterEach(() => t.close());

/** Ends all sessions. */
async function annResetsHerPassword(): Promise<void> {
  const { link } = await makeResetLink(t.gate, t.operator, { email: ann.email });
  await finishPasswordReset(t.gate, { token: link.split('#')[1] ?? '', password: OTHER_PASSWORD });
}

const signsIn = async (password: string) =>
  (await new BrowserAt(t).post('/sign-in', { email: ann.email, password })).body.status;

it('a session ended by a password reset cannot set a password afterwards', async () => {
  await annResetsHerPassword();
  const late = changePassword(t.gate, thief, { password: THIEFS_PASSWORD, address: null });
  expect((await refusalOf(late)).code).toBe('unauthorized');
  expect([await signsIn(THIEFS_PASSWORD), await signsIn(OTHER_PASSWORD)]).toEqual([undefined, 'signed_in']);
});

it('a session ended by a password reset can neither add nor remove a passkey', async () => {
  const { passkey } = await enrolPasskey(t.gate, await (await signedIn(t.gate, ann.userId)).caller());
  const { ticket, options } = await startAddingPasskey(t.gate, thief);
  const made = deviceFor(t.gate).register(options as { challenge: string; user: { id: string } });
  await annResetsHerPassword();
  const late = [
    () => addPasskey(t.gate, thief, { ticket, response: asJson(made), name: 'Thief' }),
    () => removePasskey(t.gate, thief, { passkeyId: passkey.id }),
  ];
  for (const change of late) expect((await refusalOf(change())).code).toBe('unauthorized');
  expect((await listOwnPasskeys(t.gate, thief)).map(({ id }) => id)).toEqual([passkey.id]);
});

it('a session ended by a password reset can change neither the second factor nor the identities', async () => {
  const { secret } = await beginTotp(t.gate, thief);
  const code = generateSync({ secret, epoch: Date.parse(t.clock.now()) / 1000 });
  await linkIdentity();
  await annResetsHerPassword();
  const late = [
    () => beginTotp(t.gate, thief),
    () => confirmTotp(t.gate, thief, { code }),
    () => removeTotp(t.gate, thief),
    () => renewRecoveryCodes(t.gate, thief),
    () => removeIdentity(t.gate, thief, { identityId: 'idn_1' }),
  ];
  for (const change of late) expect((await refusalOf(change())).code).toBe('unauthorized');
  const { read } = t.gate.storage;
  expect(await read.findTotp(ann.userId)).toMatchObject({ confirmedAt: null });
  expect(await read.listIdentities(ann.userId)).toHaveLength(1);
});

async function linkIdentity(): Promise<void> {
  await t.gate.storage.transaction((tx) =>
    tx.insertIdentity({
      id: 'idn_1',
      userId: ann.userId,
      provider: 'example',
      issuer: 'https://id.example',
      subject: 'ann',
      display: ann.email,
      createdAt: t.clock.now(),
      lastUsedAt: t.clock.now(),
    }),
  );
}
