/** The page's sentences, beyond its labels. Pure. */
import { formatLifetime } from '../ui/format.ts';
import type { ShownIntent } from './check-hashes.ts';

/** The name of the registered agent, else that of the key. */
export function nameOf({ requester }: ShownIntent): string {
  return requester.agent?.name ?? requester.display;
}

/** Also true where a device key would do: a passkey proves more, and it is what people have here. */
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
  return required > 1 ? ` (${received + 1} of ${required})` : '';
}

/** What pressing "Approve" does. */
export function sayConsequence(intent: ShownIntent): string {
  const others = intent.approvals_required - intent.approvals_received - 1;
  const lifetime = formatLifetime(intent.permit.lifetime_seconds);
  if (others > 0) {
    const ordinal = `${intent.approvals_received + 1} of ${intent.approvals_required}`;
    return `Counts as ${ordinal} approvals. ${others} more ${others === 1 ? 'is' : 'are'} needed before it can run.`;
  }
  return `Issues one permit: this exact action, once, within ${lifetime} of your approval.`;
}

export function sayNames(names: readonly string[]): string {
  return names.map(sayName).join(' or ');
}

function sayName(name: string): string {
  if (!name.startsWith('role:')) return name;
  const role = name.slice('role:'.length);
  return role === 'owner' ? 'an owner' : `an ${role} (or higher role)`;
}
