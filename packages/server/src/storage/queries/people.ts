/** Owns the people, their memberships, and the groups they are in. */
import { foldEmailAddress } from '@permitry/protocol';
import type { Kysely } from 'kysely';
import type { Group, Member } from '../../gate/approvals/people.ts';
import type { ProjectReader, ProjectWriter } from '../../gate/projects/project.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import { findIn } from '../sql/read-statements.ts';
import { type Database, groupMembers, memberGroups, members, type Row, users } from '../sql/tables.ts';
import { deleteFrom, insertInto, insertOnce, save } from '../sql/write-statements.ts';

const findUser = findIn(users, 'id');
const findUserByEmail = findIn(users, 'emailKey');
const insertUser = insertInto(users);

const membersWithAddress = (db: Kysely<Database>) =>
  db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select(members.namesIn('members'))
    .select('users.email');

const listMembers = prepare((db, $: { projectId: string }) =>
  membersWithAddress(db).where('members.project_id', '=', $.projectId).orderBy('members.user_id'),
);

const listMemberships = prepare((db, $: { userId: string }) =>
  membersWithAddress(db).where('members.user_id', '=', $.userId).orderBy('members.project_id'),
);

const saveMember = save(members, { by: ['projectId', 'userId'], set: ['role'] });
const deleteMember = deleteFrom(members, 'projectId', 'userId');
const leaveGroups = deleteFrom(groupMembers, 'projectId', 'userId');

const listGroups = prepare((db, $: { projectId: string }) =>
  db
    .selectFrom('member_groups')
    .leftJoin('group_members', (join) =>
      join
        .onRef('group_members.project_id', '=', 'member_groups.project_id')
        .onRef('group_members.group_name', '=', 'member_groups.name'),
    )
    .select(memberGroups.namesIn('member_groups'))
    .select('group_members.user_id')
    .where('member_groups.project_id', '=', $.projectId)
    .orderBy('member_groups.name')
    .orderBy('group_members.user_id'),
);

const insertGroup = insertOnce(memberGroups, 'projectId', 'name');
const deleteGroup = deleteFrom(memberGroups, 'projectId', 'name');
const joinGroup = insertOnce(groupMembers, 'projectId', 'groupName', 'userId');
const emptyGroup = deleteFrom(groupMembers, 'projectId', 'groupName');

export const peopleQueries = {
  findUser: (run, id) => findUser(run, { id }),

  findUserByEmail: (run, email) => findUserByEmail(run, { emailKey: foldEmailAddress(email) }),

  listMembers: async (run, projectId) => (await run.all(listMembers, { projectId })).map(toMember),

  listMemberships: async (run, userId) => (await run.all(listMemberships, { userId })).map(toMember),

  listGroups: async (run, projectId) => toGroups(await run.all(listGroups, { projectId })),

  insertUser: (run, user) => insertUser(run, { ...user, emailKey: foldEmailAddress(user.email) }),

  saveMember: (run, member) => saveMember(run, { ...member, broughtInBy: member.broughtInBy ?? [] }),

  async removeMember(run, projectId, userId) {
    await leaveGroups(run, { projectId, userId });
    return (await deleteMember(run, { projectId, userId })) === 1;
  },

  async saveGroup(run, group) {
    const { projectId, name: groupName, memberIds } = group;
    await insertGroup(run, group);
    await emptyGroup(run, { projectId, groupName });
    for (const userId of memberIds) await joinGroup(run, { projectId, groupName, userId });
  },

  async removeGroup(run, projectId, name) {
    await emptyGroup(run, { projectId, groupName: name });
    return (await deleteGroup(run, { projectId, name })) === 1;
  },
} satisfies Partial<OverRunner<ProjectReader & ProjectWriter>>;

function toMember(row: Row<'members'> & { email: string }): Member {
  const { broughtInBy, ...member } = members.toObject(row);
  return { ...member, email: row.email, ...(broughtInBy.length === 0 ? {} : { broughtInBy }) };
}

/** One row per group and member. A group without members has one row with null. */
function toGroups(rows: readonly (Row<'member_groups'> & { user_id: string | null })[]): Group[] {
  const byName = Map.groupBy(rows, (row) => row.name);
  return [...byName.values()].flatMap(([first, ...others]) => {
    if (!first) return [];
    const memberIds = [first, ...others].flatMap((row) => (row.user_id === null ? [] : [row.user_id]));
    return [{ ...memberGroups.toObject(first), memberIds }];
  });
}
