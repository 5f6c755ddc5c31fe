/** How people sign in, and who was refused. */
import { type EventWords, Said } from './wording.tsx';

export const ACCESS_WORDS = {
  'password.changed': { group: 'sign-in', label: 'Password changed', says: () => 'changed a password' },
  'second_factor.enabled': {
    group: 'sign-in',
    label: 'Second factor set up',
    says: () => 'set a second factor up',
  },
  'second_factor.removed': {
    group: 'sign-in',
    label: 'Second factor removed',
    says: () => 'removed a second factor',
  },
  'recovery_codes.made': {
    group: 'sign-in',
    label: 'Recovery codes made',
    says: () => 'made new recovery codes',
  },
  'recovery_code.used': {
    group: 'sign-in',
    label: 'Recovery code used',
    says: () => 'signed in with a recovery code',
  },
  'identity.linked': {
    group: 'sign-in',
    label: 'Provider linked',
    says: () => 'linked an identity provider',
  },
  'identity.removed': {
    group: 'sign-in',
    label: 'Provider unlinked',
    says: () => 'unlinked an identity provider',
  },
  'passkey.added': { group: 'sign-in', label: 'Passkey added', says: () => 'added a passkey' },
  'passkey.removed': { group: 'sign-in', label: 'Passkey removed', says: () => 'removed a passkey' },
  'passkey.refused': {
    group: 'sign-in',
    label: 'Passkey refused',
    says: () => 'showed a passkey that may be a copy, and was refused',
  },
  'device_key.added': { group: 'sign-in', label: 'Device key added', says: () => 'added a device key' },
  'device_key.removed': { group: 'sign-in', label: 'Device key removed', says: () => 'removed a device key' },
  'sign_in.blocked': {
    group: 'sign-in',
    label: 'Sign-in blocked',
    says: () => 'made strangers wait who tried to sign in to an account too often',
  },
  'session.crowded_out': {
    group: 'sign-in',
    label: 'Session crowded out',
    says: () => 'ended the session a member had not used for longest: they signed in once more than fits',
  },
  'access.refused': {
    group: 'refusals',
    label: 'Refused access',
    says: (data) => (
      <>
        was refused <code>{String(data.route)}</code>
        {data.required !== null && data.required !== undefined && (
          <>
            , which takes <Said value={data.required} />
          </>
        )}
      </>
    ),
  },
} satisfies EventWords;
