/** The cast of the model: people, agents and keys, and what the contract's rules need about them. */

const PEOPLE = ['owner', 'ann', 'bob', 'cat', 'eve'] as const;
export type Person = (typeof PEOPLE)[number];

export const REQUESTERS = ['agent1', 'agent2', 'secret'] as const;
export type RequesterName = (typeof REQUESTERS)[number];
export type AgentName = 'agent1' | 'agent2';

/** Everybody with a credential. The secret key is the owner's; the operator created the agents' keys. */
export const CREDENTIALS = [...REQUESTERS, 'verifier', ...PEOPLE] as const;
export type Credential = (typeof CREDENTIALS)[number];

const ROLE: Record<Person, 'owner' | 'approver' | 'viewer'> = {
  owner: 'owner',
  ann: 'approver',
  bob: 'approver',
  cat: 'approver',
  eve: 'viewer',
};

export const FINANCE: readonly Person[] = ['ann', 'bob'];

export function isAgent(who: Credential): who is AgentName {
  return who === 'agent1' || who === 'agent2';
}

/** The person for whom a vote by this credential counts. Undefined for a credential that never decides. */
export function voterBehind(who: Credential): Person | undefined {
  if (who === 'secret') return 'owner';
  if (isAgent(who) || who === 'verifier') return undefined;
  return ROLE[who] === 'viewer' ? undefined : who;
}

export function emailOf(person: Person): string {
  return `${person}@example.org`;
}

/** Everybody to whom a name in a requirement refers and who may approve. */
export function approversNamed(name: string): readonly Person[] {
  if (name === 'finance') return FINANCE;
  const able = PEOPLE.filter((person) => ROLE[person] !== 'viewer');
  return name === 'role:approver' ? able : able.filter((person) => emailOf(person) === name);
}
