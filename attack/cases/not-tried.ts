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
    id: 'T17-crashes',
    title: 'kill -9, a full disk, power loss, a clock that jumps',
    threats: ['17'],
    aisvs: [],
    attack: 'The machine under the gate fails at any moment of any write.',
    expected: 'No acknowledged change is lost, none half done, the chain verifies.',
    why: 'takes the machine, not the network; see docs/security.md',
  },
  {
    id: 'T24-id-token',
    title: 'an ID token that its provider did not sign',
    threats: ['24'],
    aisvs: [],
    attack:
      'A provider, or somebody between it and the gate, hands out an ID token with a wrong signature or an empty subject.',
    expected: 'Nobody is signed in.',
    why: 'takes a gate that was started with the attacker as its OpenID provider (PERMITRY_OIDC_FILE), which no credential sets over HTTP; the tests run a real provider that forges; see docs/security.md',
  },
];
