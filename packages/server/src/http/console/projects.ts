import {
  CreateProject,
  EmptyBody,
  LeftProject,
  MyProject,
  MyProjects,
  RenameProject,
} from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import type { SessionCaller } from '../../gate/access/caller.ts';
import { roleOf } from '../../gate/access/role-of.ts';
import { createOwnProject } from '../../gate/projects/create-own-project.ts';
import type { Project } from '../../gate/projects/project.ts';
import { listProjects } from '../../gate/projects/read-project.ts';
import { renameProject } from '../../gate/projects/rename-project.ts';
import type { GateParts } from '../../open-gate.ts';
import { leaveProject } from '../../people/members/leave-project.ts';
import { ItemPath } from '../routes/route-schemas.ts';
import type { GateApp } from '../routes/surface.ts';
import type { ConsoleTools } from './console-tools.ts';
import { getPerson } from './get-person.ts';

export function projectRoutes(app: GateApp, { gate }: ConsoleTools): void {
  app.get('/projects', { schema: { response: { 200: MyProjects } } }, async (request) => {
    const person = getPerson(request);
    const projects = await listProjects(gate, person);
    return {
      data: await Promise.all(projects.map((project) => describeProject(gate, person, project))),
      may_create: person.memberships.some(({ role }) => role === 'owner'),
    };
  });

  app.post(
    '/projects',
    { schema: { body: CreateProject, response: { 201: MyProject } } },
    async (request) => {
      const person = getPerson(request);
      const project = await createOwnProject(gate, person, request.body);
      const { id: projectId, mode } = project;
      const owner: SessionCaller = { ...person, memberships: [{ projectId, mode, role: 'owner' }] };
      return describeProject(gate, owner, project);
    },
  );

  app.patch(
    '/projects/:id',
    { schema: { params: ItemPath, body: RenameProject, response: { 200: MyProject } } },
    async (request) => {
      const person = getPerson(request);
      const input = { projectId: request.params.id, name: request.body.name };
      return describeProject(gate, person, await renameProject(gate, person, input));
    },
  );

  app.post(
    '/projects/:id/leave',
    { schema: { params: ItemPath, body: EmptyBody, response: { 200: LeftProject } } },
    async (request) => {
      const { projectId } = await leaveProject(gate, getPerson(request), { projectId: request.params.id });
      return { project_id: projectId };
    },
  );
}

async function describeProject(
  gate: GateParts,
  person: SessionCaller,
  project: Project,
): Promise<Static<typeof MyProject>> {
  const { read } = gate.storage;
  const role = roleOf(person, project.id);
  if (role === undefined) throw new Error('a project of others is described');
  return {
    id: project.id,
    name: project.name,
    mode: project.mode,
    role,
    stopped_at: project.stoppedAt,
    created_at: project.createdAt,
    pending: await read.countPastIntents(project.id, 'pending'),
    members: (await read.listMembers(project.id)).length,
  };
}
