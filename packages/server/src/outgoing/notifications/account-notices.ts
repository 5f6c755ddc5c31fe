import type { JsonObject } from '@permitry/protocol';
import type { Instant } from '../../gate/kernel/instant.ts';
import type { AccountNotice } from '../../gate/notifications/notify-account.ts';
import { toInertLine } from '../inert-text.ts';
import { toTimeText, type Words } from './words.ts';

const SENTENCES: Record<AccountNotice, { title: string; lead: string }> = {
  password_changed: { title: 'Your password was changed', lead: 'The password of your account was changed.' },
  password_reset: {
    title: 'Your password was reset',
    lead: 'A new password was set through a link that was sent to this address.',
  },
  passkey_added: { title: 'A passkey was added', lead: 'A passkey was added to your account.' },
  passkey_removed: { title: 'A passkey was removed', lead: 'A passkey was removed from your account.' },
  passkey_refused: {
    title: 'A passkey was refused',
    lead: 'A passkey of yours was refused: it looks as if there were a copy of it.',
  },
  device_key_added: {
    title: 'A device key was added',
    lead: 'A key on a machine can now prove, under its passphrase, that it is you who decides.',
  },
  device_key_removed: {
    title: 'A device key was removed',
    lead: 'A key on a machine of yours proves nothing any more.',
  },
  program_connected: {
    title: 'A program was connected',
    lead: 'A program at a terminal has a token of yours. The account page lists it, and ends it.',
  },
  totp_enabled: {
    title: 'A second factor is on',
    lead: 'From now on your password alone does not sign you in.',
  },
  totp_disabled: {
    title: 'The second factor is off',
    lead: 'The second factor was taken off your account.',
  },
  recovery_codes_replaced: {
    title: 'You have new recovery codes',
    lead: 'New recovery codes were made; the old ones work no more.',
  },
  recovery_code_used: {
    title: 'A recovery code was used',
    lead: 'One of your recovery codes was used to sign in. Each works once.',
  },
  identity_added: {
    title: 'Another way to sign in was added',
    lead: 'An account of another provider can sign you in from now on.',
  },
  identity_removed: {
    title: 'A way to sign in was removed',
    lead: 'An account of another provider signs you in no more.',
  },
  device_added: {
    title: 'A device takes push messages',
    lead: 'A browser was set to show what waits for you, whoever sits at it.',
  },
  sign_in_blocked: {
    title: 'Somebody tries to sign in as you',
    lead: 'So many attempts to sign in to your account failed that further ones have to wait.',
  },
  signed_in_from_new_device: {
    title: 'You signed in from a new device',
    lead: 'Your account was signed in to from a device or place that was not seen before.',
  },
};

/** Labels of the details. */
const NAMES: Readonly<Record<string, string>> = {
  name: 'Name',
  address: 'Address',
  user_agent: 'Browser',
  provider: 'Provider',
};

export function describeAccountNotice(detail: JsonObject, at: Instant): Words {
  const { title, lead } = SENTENCES[detail.notice as AccountNotice];
  const facts = Object.entries(NAMES).flatMap(([key, name]) => {
    const value = detail[key];
    return typeof value === 'string' ? [{ name, value: toInertLine(value) }] : [];
  });
  return {
    title,
    lead: `${lead} If this was not you, change your password and end other sessions at once.`,
    facts: [...facts, { name: 'When', value: toTimeText(at) }],
    path: '/account',
    linkLabel: 'Open your account',
  };
}
