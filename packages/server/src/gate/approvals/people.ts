import { foldEmailAddress, type Role } from '@permitry/protocol';
import { roleReaches } from '../access/scopes.ts';
import type { Instant } from '../kernel/instant.ts';

export interface Member {
  projectId: string;
  userId: string;
  email: string;
  role: Role;
  createdAt: Instant;
  /**
   * People whose programs added this member, directly or through other members. Omitted: no program added the member.
   * In live mode the member approves no request from programs of these people.
   */
  broughtInBy?: readonly string[];
}

/** A named set of members. */
export interface Group {
  projectId: string;
  name: string;
  memberIds: readonly string[];
  createdAt: Instant;
}

const ROLE_NAMES: ReadonlyMap<string, Role> = new Map([
  ['role:approver', 'approver'],
  ['role:admin', 'admin'],
  ['role:owner', 'owner'],
]);

/** The members of a project, and the names that refer to them. */
export class People {
  readonly #byId: ReadonlyMap<string, Member>;
  readonly #byEmail: ReadonlyMap<string, Member>;
  readonly #groups: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #resolved = new Map<string, ReadonlySet<string>>();

  constructor(members: readonly Member[], groups: readonly Pick<Group, 'name' | 'memberIds'>[]) {
    this.#byId = new Map(members.map((member) => [member.userId, member]));
    this.#byEmail = new Map(members.map((member) => [foldEmailAddress(member.email), member]));
    this.#groups = new Map(groups.map((group) => [group.name, new Set(group.memberIds)]));
  }

  member(userId: string): Member | undefined {
    return this.#byId.get(userId);
  }

  memberByEmail(email: string): Member | undefined {
    return this.#byEmail.get(foldEmailAddress(email));
  }

  /** Everyone except this person. */
  without(userId: string): People {
    const others = [...this.#byId.values()].filter((member) => member.userId !== userId);
    const groups = [...this.#groups].map(([name, memberIds]) => ({ name, memberIds: [...memberIds] }));
    return new People(others, groups);
  }

  /** Whether the name refers to anything here: a member's address, a group, or a role. */
  knows(name: string): boolean {
    return ROLE_NAMES.has(name) || this.#groups.has(name) || this.#byEmail.has(foldEmailAddress(name));
  }

  /** Ids of the people who may approve under this name: those it refers to with the role approver or above. */
  approversNamed(name: string): ReadonlySet<string> {
    const known = this.#resolved.get(name);
    if (known) return known;
    const resolved = new Set([...this.#named(name)].filter((id) => this.#mayApprove(id)));
    if (this.knows(name)) this.#resolved.set(name, resolved);
    return resolved;
  }

  #mayApprove(userId: string): boolean {
    const member = this.#byId.get(userId);
    return member !== undefined && roleReaches(member.role, 'approver');
  }

  #named(name: string): Iterable<string> {
    const role = ROLE_NAMES.get(name);
    if (role) {
      return [...this.#byId.values()].filter((m) => roleReaches(m.role, role)).map((m) => m.userId);
    }
    const group = this.#groups.get(name);
    if (group) return group;
    const member = this.#byEmail.get(foldEmailAddress(name));
    return member ? [member.userId] : [];
  }
}
