import type { Key } from '../project-frame/wire.ts';

export type KeyKind = Key['kind'];

/** One sentence for each kind: who holds it, what it can do, and what it never does. */
export const KEY_KINDS: readonly { value: KeyKind; label: string; hint: string }[] = [
  {
    value: 'agent',
    label: 'Agent key',
    hint: 'For one agent: it asks, waits for the decision and uses what was approved; it never decides, and sees no other agent’s requests.',
  },
  {
    value: 'secret',
    label: 'Secret key',
    hint: 'For a service of yours: it does what your role allows, and ends when you leave the project.',
  },
  {
    value: 'verify',
    label: 'Verifier key',
    hint: 'For whatever carries actions out: it checks permits and uses them up; it can ask for nothing.',
  },
];

export function labelOfKind(kind: KeyKind): string {
  return KEY_KINDS.find((known) => known.value === kind)?.label ?? kind;
}
