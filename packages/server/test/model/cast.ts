/** Who plays in the model: people, agents and keys, and what of them the contract's rules depend on. */

const PEOPLE = ['owner', 'ann', 'bob', 'cat', 'eve'] as const;
export type Person = (typeof PEOPLE)[number];

export const REQUESTERS = ['agent1', 'agent2', 'secret'] as const;
export type RequesterName = (typeof REQUESTERS)[number];
export type AgentName = 'agent1' | 'agent2';

/** Everybody who holds a credential. The secret key is the owner's; agents' keys were made by the operator. */
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

/** The person a vote by this credential counts for; undefined for those who never decide. */
export function voterBehind(who: Credential): Person | undefined {
  if (who === 'secret') return 'owner';
  if (isAgent(who) || who === 'verifier') return undefined;
  return ROLE[who] === 'viewer' ? undefined : who;
}

export function emailOf(person: Person): string {
  return `${person}@example.org`;
}

/** Everybody that a name in a requirement stands for and that may approve. */
export function approversNamed(name: string): readonly Person[] {
  if (name === 'finance') return FINANCE;
  const able = PEOPLE.filter((person) => ROLE[person] !== 'viewer');
  return name === 'role:approver' ? able : able.filter((person) => emailOf(person) === name);
}
