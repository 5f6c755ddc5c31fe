/** The page's sentences, beyond its labels. Pure. */
import type { ShownIntent } from './check-hashes.ts';
import * as words from './decide.words.ts';

/** The name of the registered agent, else that of the key. */
export function nameOf({ requester }: ShownIntent): string {
  return requester.agent?.name ?? requester.display;
}

/**
 * Whether approving takes a passkey here. Also true for requests that need a device key: a passkey proves more, and a
 * browser cannot use a device key.
 */
export function takesPasskey({ proof }: Pick<ShownIntent, 'proof'>): boolean {
  return proof.tier === 'passkey' || proof.tier === 'device';
}

/** People approve such a request in two steps, and never in a list. */
export function isHeavy({ hashed }: ShownIntent): boolean {
  return hashed.risk_tier === 'high' || hashed.risk_tier === 'critical';
}

/** Which of the required approvals comes next: `(1 of 2)`. Empty when one is enough. */
export function sayOrdinal({
  approvals_received: received,
  approvals_required: required,
}: Pick<ShownIntent, 'approvals_received' | 'approvals_required'>): string {
  return required > 1 ? words.ordinal(received + 1, required) : '';
}

/** What pressing "Approve" does. */
export function sayConsequence(intent: ShownIntent): string {
  const next = intent.approvals_received + 1;
  return next < intent.approvals_required
    ? words.oneOfSeveralConsequence(next, intent.approvals_required)
    : words.permitConsequence(intent.permit.lifetime_seconds);
}

export function sayNames(names: readonly string[]): string {
  return names.map(sayName).join(words.or);
}

function sayName(name: string): string {
  if (!name.startsWith('role:')) return name;
  const role = name.slice('role:'.length);
  return role === 'owner' ? words.anOwner : words.roleOrHigher(role);
}
