/** Threat 17: listed but never passed, because it needs control of the machine. */
import type { CatalogueEntry } from '../attack-case.ts';

export const CRASHES: readonly CatalogueEntry[] = [
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
