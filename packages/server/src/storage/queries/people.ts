/** Owns the people, their membership of projects, and the groups they stand in. */
import { foldEmailAddress } from '@permitry/protocol';
import type { Group, Member } from '../../gate/approvals/people.ts';
import type { ProjectReader, ProjectWriter, User } from '../../gate/projects/project.ts';
import { fromJson, toJson } from '../sql/column.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import type { NewRow, Row } from '../sql/tables.ts';

const findUserRow = prepare((db, $: { id: string }) =>
  db.selectFrom('users').selectAll().where('id', '=', $.id),
);

const findUserRowByEmail = prepare((db, $: { emailKey: string }) =>
  db.selectFrom('users').selectAll().where('email_key', '=', $.emailKey),
);

const insertUserRow = prepare((db, $: NewRow<'users'>) =>
  db.insertInto('users').values({
    id: $.id,
    email: $.email,
    email_key: $.email_key,
    name: $.name,
    created_at: $.created_at,
  }),
);

const listMemberRows = prepare((db, $: { projectId: string }) =>
  db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .selectAll('members')
    .select('users.email')
    .where('members.project_id', '=', $.projectId)
    .orderBy('members.user_id'),
);

const listMembershipRows = prepare((db, $: { userId: string }) =>
  db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .selectAll('members')
    .select('users.email')
    .where('members.user_id', '=', $.userId)
    .orderBy('members.project_id'),
);

const saveMemberRow = prepare((db, $: NewRow<'members'>) =>
  db
    .insertInto('members')
    .values({
      project_id: $.project_id,
      user_id: $.user_id,
      role: $.role,
      created_at: $.created_at,
      brought_in_by: $.brought_in_by,
    })
    .onConflict((conflict) => conflict.columns(['project_id', 'user_id']).doUpdateSet({ role: $.role })),
);

const deleteMemberRow = prepare((db, $: { projectId: string; userId: string }) =>
  db.deleteFrom('members').where('project_id', '=', $.projectId).where('user_id', '=', $.userId),
);

const leaveGroups = prepare((db, $: { projectId: string; userId: string }) =>
  db.deleteFrom('group_members').where('project_id', '=', $.projectId).where('user_id', '=', $.userId),
);

const listGroupRows = prepare((db, $: { projectId: string }) =>
  db
    .selectFrom('member_groups')
    .leftJoin('group_members', (join) =>
      join
        .onRef('group_members.project_id', '=', 'member_groups.project_id')
        .onRef('group_members.group_name', '=', 'member_groups.name'),
    )
    .selectAll('member_groups')
    .select('group_members.user_id')
    .where('member_groups.project_id', '=', $.projectId)
    .orderBy('member_groups.name')
    .orderBy('group_members.user_id'),
);

const saveGroupRow = prepare((db, $: NewRow<'member_groups'>) =>
  db
    .insertInto('member_groups')
    .values({ project_id: $.project_id, name: $.name, created_at: $.created_at })
    .onConflict((conflict) => conflict.columns(['project_id', 'name']).doNothing()),
);

const deleteGroupRow = prepare((db, $: { projectId: string; name: string }) =>
  db.deleteFrom('member_groups').where('project_id', '=', $.projectId).where('name', '=', $.name),
);

const emptyGroup = prepare((db, $: { projectId: string; name: string }) =>
  db.deleteFrom('group_members').where('project_id', '=', $.projectId).where('group_name', '=', $.name),
);

const joinGroup = prepare((db, $: NewRow<'group_members'>) =>
  db
    .insertInto('group_members')
    .values({ project_id: $.project_id, group_name: $.group_name, user_id: $.user_id })
    .onConflict((conflict) => conflict.columns(['project_id', 'group_name', 'user_id']).doNothing()),
);

type Reads = Pick<
  ProjectReader,
  'findUser' | 'findUserByEmail' | 'listMembers' | 'listMemberships' | 'listGroups'
>;
type Writes = Pick<ProjectWriter, 'insertUser' | 'saveMember' | 'removeMember' | 'saveGroup' | 'removeGroup'>;

export const peopleReads: OverRunner<Reads> = {
  async findUser(run, id) {
    const row = await run.first(findUserRow, { id });
    return row && toUser(row);
  },

  async findUserByEmail(run, email) {
    const row = await run.first(findUserRowByEmail, { emailKey: foldEmailAddress(email) });
    return row && toUser(row);
  },

  async listMembers(run, projectId) {
    return (await run.all(listMemberRows, { projectId })).map(toMember);
  },

  async listMemberships(run, userId) {
    return (await run.all(listMembershipRows, { userId })).map(toMember);
  },

  async listGroups(run, projectId) {
    return toGroups(await run.all(listGroupRows, { projectId }));
  },
};

export const peopleWrites: OverRunner<Writes> = {
  async insertUser(run, user) {
    await run.change(insertUserRow, {
      id: user.id,
      email: user.email,
      email_key: foldEmailAddress(user.email),
      name: user.name,
      created_at: user.createdAt,
    });
  },

  async saveMember(run, member) {
    await run.change(saveMemberRow, {
      project_id: member.projectId,
      user_id: member.userId,
      role: member.role,
      created_at: member.createdAt,
      brought_in_by: toJson(member.broughtInBy ?? []),
    });
  },

  async removeMember(run, projectId, userId) {
    await run.change(leaveGroups, { projectId, userId });
    return (await run.change(deleteMemberRow, { projectId, userId })) === 1;
  },

  async saveGroup(run, group) {
    const { projectId, name } = group;
    await run.change(saveGroupRow, { project_id: projectId, name, created_at: group.createdAt });
    await run.change(emptyGroup, { projectId, name });
    for (const userId of group.memberIds) {
      await run.change(joinGroup, { project_id: projectId, group_name: name, user_id: userId });
    }
  },

  async removeGroup(run, projectId, name) {
    await run.change(emptyGroup, { projectId, name });
    return (await run.change(deleteGroupRow, { projectId, name })) === 1;
  },
};

function toUser(row: Row<'users'>): User {
  return { id: row.id, email: row.email, name: row.name, createdAt: row.created_at };
}

function toMember(row: Row<'members'> & { email: string }): Member {
  const broughtInBy = fromJson<string[]>(row.brought_in_by);
  return {
    projectId: row.project_id,
    userId: row.user_id,
    email: row.email,
    role: row.role,
    createdAt: row.created_at,
    ...(broughtInBy.length === 0 ? {} : { broughtInBy }),
  };
}

/** One row per group and member, a group without members with null. */
function toGroups(rows: readonly (Row<'member_groups'> & { user_id: string | null })[]): Group[] {
  const byName = Map.groupBy(rows, (row) => row.name);
  return [...byName].flatMap(([name, [first, ...others]]) => {
    if (!first) return [];
    const memberIds = [first, ...others].flatMap((row) => (row.user_id === null ? [] : [row.user_id]));
    return [{ projectId: first.project_id, name, memberIds, createdAt: first.created_at }];
  });
}
