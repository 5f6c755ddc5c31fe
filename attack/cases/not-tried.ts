/** Threats that cannot be tried from outside, or whose part of the gate is not built yet: listed, and never passed. */
import type { UnrunCase } from '../attack-case.ts';

export const NOT_TRIED: readonly UnrunCase[] = [
  {
    id: 'T08b-older-copy',
    title: 'an older copy put back after a use',
    threats: ['8b'],
    aisvs: ['9.2.8'],
    attack:
      'The data directory is replaced by a copy from before a permit was used, and the permit is used again.',
    expected: 'Refused.',
    why: 'takes the data directory, not the network; see docs/security.md',
  },
  {
    id: 'T13-decision-page',
    title: 'what a signed-in approver is shown',
    threats: ['13'],
    aisvs: ['9.2.2'],
    attack:
      'Parameters with markup, direction marks and 200 KB texts are shown on the page on which a person decides.',
    expected: 'Inert, visible, never cut without saying so.',
    why: 'not built yet: the page shows nothing of the request until people can sign in',
  },
  {
    id: 'T14-sessions',
    title: 'sessions and cookies of people',
    threats: ['14'],
    aisvs: ['9.2.1'],
    attack:
      'A session is fixed beforehand, a cookie is stolen and used where a passkey is asked for, a form decides from another site.',
    expected: 'Refused.',
    why: 'not built yet: there is no sign-in, so no cookie opens anything (T01-key-elsewhere and T14-cross-site try that)',
  },
  {
    id: 'T15-webhooks',
    title: 'webhooks into the private network',
    threats: ['15'],
    aisvs: [],
    attack: 'Targets on loopback, private and link-local addresses, by redirect and by rebinding of names.',
    expected: 'Never connected.',
    why: 'not built yet: there are no webhooks',
  },
  {
    id: 'T17-crashes',
    title: 'kill -9, a full disk, power loss, a clock that jumps',
    threats: ['17'],
    aisvs: [],
    attack: 'The machine under the gate fails at any moment of any write.',
    expected: 'No acknowledged change is lost, none half done, the chain verifies.',
    why: 'takes the machine, not the network; see docs/security.md',
  },
];
