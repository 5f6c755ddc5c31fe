import type { JsonObject } from '@permitry/protocol';
import type { Instant } from '../../gate/kernel/instant.ts';
import type { AccountNotice } from '../../gate/notifications/notify-account.ts';
import { toInertLine } from '../inert-text.ts';
import { toTimeText } from '../time-text.ts';
import type { Words } from './words.ts';

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
    lead: 'One of your passkeys was refused, because it may have been copied.',
  },
  device_key_added: {
    title: 'A device key was added',
    lead: 'A device key was added to your account. With its passphrase, it proves your presence when you decide at a terminal.',
  },
  device_key_removed: {
    title: 'A device key was removed',
    lead: 'A device key was removed from your account. It no longer proves your presence.',
  },
  program_connected: {
    title: 'A program was connected',
    lead: 'A program at a terminal received an access token for your account. You can revoke the token on the account page.',
  },
  totp_enabled: {
    title: 'Your second factor was turned on',
    lead: 'From now on, signing in with your password also requires a code.',
  },
  totp_disabled: {
    title: 'Your second factor was turned off',
    lead: 'Signing in with your password no longer requires a code.',
  },
  recovery_codes_replaced: {
    title: 'You have new recovery codes',
    lead: 'New recovery codes were created. The old ones no longer work.',
  },
  recovery_code_used: {
    title: 'A recovery code was used',
    lead: 'One of your recovery codes was used to sign in. Each works once.',
  },
  identity_added: {
    title: 'Another way to sign in was added',
    lead: 'From now on, an account at another provider can sign you in.',
  },
  identity_removed: {
    title: 'A way to sign in was removed',
    lead: 'An account at another provider can no longer sign you in.',
  },
  device_added: {
    title: 'A device now receives push messages',
    lead: 'A browser was set up to show your notifications. Anyone who uses it can read them.',
  },
  sign_in_blocked: {
    title: 'Too many failed sign-ins to your account',
    lead: 'Many attempts to sign in to your account failed, so further attempts are delayed.',
  },
  signed_in_from_new_device: {
    title: 'Sign-in from a new device',
    lead: 'Somebody signed in to your account from a device or place that has not been used before.',
  },
};

/** Labels of the details. */
const NAMES: Readonly<Record<string, string>> = {
  name: 'Name',
  address: 'IP address',
  user_agent: 'Browser',
  provider: 'Provider',
};

export function describeAccountNotice(detail: JsonObject, at: Instant, timeZone: string): Words {
  const { title, lead } = SENTENCES[detail.notice as AccountNotice];
  const facts = Object.entries(NAMES).flatMap(([key, name]) => {
    const value = detail[key];
    return typeof value === 'string' ? [{ name, value: toInertLine(value) }] : [];
  });
  return {
    title,
    lead: `${lead} If this was not you, change your password and sign out all other sessions at once.`,
    facts: [...facts, { name: 'Time', value: toTimeText(at, timeZone) }],
    path: '/account',
    linkLabel: 'Open account',
  };
}
