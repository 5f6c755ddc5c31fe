import {
  AddMember,
  ChangeMember,
  CreateGroup,
  GroupSchema,
  MemberSchema,
  Page,
  SaveGroup,
  StrictObject,
} from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import type { Group, Member } from '../../gate/approvals/people.ts';
import { listGroups } from '../../people/groups/list-groups.ts';
import { removeGroup } from '../../people/groups/remove-group.ts';
import { createGroup, saveGroup } from '../../people/groups/save-group.ts';
import { addMember } from '../../people/members/add-member.ts';
import { changeRole } from '../../people/members/change-role.ts';
import { listMembers } from '../../people/members/list-members.ts';
import { removeMember } from '../../people/members/remove-member.ts';
import { getCaller } from '../admission/request-context.ts';
import { PAGE_QUERY, toPageRequest, toWirePage } from '../routes/paging.ts';
import { ItemPath, NoContent, PathId } from '../routes/route-schemas.ts';
import type { GateApp, RouteTools } from '../routes/surface.ts';

const MemberPath = StrictObject({
  id: PathId,
  user_id: PathId,
});
const GroupPath = StrictObject({ id: PathId, name: PathId });

export function peopleRoutes(app: GateApp, tools: RouteTools): void {
  memberRoutes(app, tools);
  groupRoutes(app, tools);
}

function memberRoutes(app: GateApp, { gate, once }: RouteTools): void {
  const tags = ['Surface B: members'];
  app.get(
    '/projects/:id/members',
    {
      schema: {
        operationId: 'listMembers',
        summary: 'List members, newest first',
        tags,
        params: ItemPath,
        querystring: StrictObject(PAGE_QUERY),
        response: { 200: Page(MemberSchema) },
      },
    },
    async (request) => {
      const input = { projectId: request.params.id, ...toPageRequest(request.query) };
      return toWirePage(await listMembers(gate, getCaller(request), input), toWireMember);
    },
  );

  app.post(
    '/projects/:id/members',
    {
      schema: {
        operationId: 'addMember',
        summary: 'Add a member',
        description:
          'In live mode this needs a person who is present in a browser. Nobody grants a role above their own.',
        tags,
        params: ItemPath,
        body: AddMember,
        response: { 201: MemberSchema },
      },
    },
    (request, reply) =>
      once.answer(request, reply, {
        act: (caller, remember) =>
          addMember(gate, caller, { projectId: request.params.id, ...request.body }, remember),
        toAnswer: (member) => ({ status: 201, body: { ...toWireMember(member) } }),
      }),
  );

  app.patch(
    '/projects/:id/members/:user_id',
    {
      schema: {
        operationId: 'changeMember',
        summary: 'Change a member’s role',
        tags,
        params: MemberPath,
        body: ChangeMember,
        response: { 200: MemberSchema },
      },
    },
    async (request) => {
      const { id: projectId, user_id: userId } = request.params;
      const { role } = request.body;
      return toWireMember(await changeRole(gate, getCaller(request), { projectId, userId, role }));
    },
  );

  app.delete(
    '/projects/:id/members/:user_id',
    {
      schema: {
        operationId: 'removeMember',
        summary: 'Remove a member from the project and its groups, and revoke their secret keys',
        tags,
        params: MemberPath,
        response: { 200: MemberSchema },
      },
    },
    async (request) => {
      const { id: projectId, user_id: userId } = request.params;
      return toWireMember(await removeMember(gate, getCaller(request), { projectId, userId }));
    },
  );
}

function groupRoutes(app: GateApp, { gate, once }: RouteTools): void {
  const tags = ['Surface B: groups'];
  app.get(
    '/projects/:id/groups',
    {
      schema: {
        operationId: 'listGroups',
        summary: 'List groups, newest first',
        tags,
        params: ItemPath,
        querystring: StrictObject(PAGE_QUERY),
        response: { 200: Page(GroupSchema) },
      },
    },
    async (request) => {
      const projectId = request.params.id;
      const page = await listGroups(gate, getCaller(request), { projectId, ...toPageRequest(request.query) });
      const emails = emailsOf(await gate.storage.read.listMembers(projectId));
      return toWirePage(page, (group) => toWireGroup(group, emails));
    },
  );

  app.post(
    '/projects/:id/groups',
    {
      schema: {
        operationId: 'createGroup',
        summary: 'Create a group',
        description:
          'In live mode this needs a person who is present in a browser. If a group of that name exists, the answer is 409.',
        tags,
        params: ItemPath,
        body: CreateGroup,
        response: { 201: GroupSchema },
      },
    },
    (request, reply) =>
      once.answer(request, reply, {
        act: (caller, remember) => {
          const { name, members = [] } = request.body;
          return createGroup(gate, caller, { projectId: request.params.id, name, members }, remember);
        },
        toAnswer: ({ group, people }) => ({ status: 201, body: toWireGroup(group, emailsOf(people)) }),
      }),
  );

  app.put(
    '/projects/:id/groups/:name',
    {
      schema: {
        operationId: 'saveGroup',
        summary: 'Create a group or replace its members',
        description: 'In live mode this needs a person who is present in a browser.',
        tags,
        params: GroupPath,
        body: SaveGroup,
        response: { 200: GroupSchema },
      },
    },
    async (request) => {
      const { id: projectId, name } = request.params;
      const { members } = request.body;
      const group = await saveGroup(gate, getCaller(request), { projectId, name, members });
      return toWireGroup(group, emailsOf(await gate.storage.read.listMembers(projectId)));
    },
  );

  app.delete(
    '/projects/:id/groups/:name',
    {
      schema: {
        operationId: 'removeGroup',
        summary: 'Delete a group',
        description:
          'If the active policy names the group, the answer is 409. Once the group is deleted, pending intents that require approvals from it can no longer be approved.',
        tags,
        params: GroupPath,
        // Undefined, not null: null would be sent as the text `null`, but a 204 has no body.
        response: { 204: NoContent },
      },
    },
    async (request) => {
      const { id: projectId, name } = request.params;
      await removeGroup(gate, getCaller(request), { projectId, name });
    },
  );
}

function toWireMember(member: Member): Static<typeof MemberSchema> {
  return { id: member.userId, email: member.email, role: member.role, created_at: member.createdAt };
}

function emailsOf(people: readonly Member[]): ReadonlyMap<string, string> {
  return new Map(people.map(({ userId, email }) => [userId, email]));
}

function toWireGroup(group: Group, emails: ReadonlyMap<string, string>): Static<typeof GroupSchema> {
  return {
    id: group.name,
    name: group.name,
    members: group.memberIds.flatMap((id) => emails.get(id) ?? []),
    created_at: group.createdAt,
  };
}
