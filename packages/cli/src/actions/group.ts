import {
  type GateParts,
  type Group,
  listGroups,
  listMembers,
  removeGroup,
  saveGroup,
} from '@permitry/server';
import { allPages } from '../all-pages.ts';
import { CommandFailure } from '../command-failure.ts';
import type { AdminFlags } from '../command-options.ts';
import { findProject } from '../find-project.ts';
import { withGate } from '../open-gate-for-admin.ts';
import { OPERATOR } from '../operator.ts';
import { printJson } from '../printing/print-json.ts';
import { printTable } from '../printing/print-table.ts';

/** A group with its people by their addresses. */
interface NamedGroup {
  name: string;
  members: { id: string; email: string }[];
  created_at: string;
}

export async function set(name: string, members: string[], flags: AdminFlags): Promise<void> {
  const group = await withGate(flags, async (gate) => {
    const { id: projectId } = await findProject(gate, flags.project);
    const saved = await saveGroup(gate, OPERATOR, { projectId, name, members }).catch((error: unknown) => {
      throw inWordsOfArguments(error, members);
    });
    return withNames(gate, projectId, [saved]);
  });
  if (flags.json) return printJson(group[0]);
  process.stdout.write(`Group ${name}: ${group[0] ? peopleOf(group[0]) : ''}\n`);
}

/** The API counts (`members/0: …`) where the command line has a name. */
function inWordsOfArguments(error: unknown, members: readonly string[]): unknown {
  if (!(error instanceof Error && error.message.startsWith('members/'))) return error;
  const message = error.message.replace(/members\/(\d+): /g, (_, index) => `${members[Number(index)]}: `);
  return new CommandFailure(2, message, { cause: error });
}

export async function list(flags: AdminFlags): Promise<void> {
  const groups = await withGate(flags, async (gate) => {
    const { id: projectId } = await findProject(gate, flags.project);
    const found = await allPages((page) => listGroups(gate, OPERATOR, { projectId, ...page }));
    return withNames(gate, projectId, found);
  });
  if (flags.json) return printJson(groups);
  printTable(
    groups,
    [
      { title: 'NAME', text: ({ name }) => name },
      { title: 'MEMBERS', text: peopleOf, shrinks: true },
    ],
    'This project has no groups; make one with: permitry group set NAME EMAIL…',
  );
}

export async function remove(name: string, flags: AdminFlags): Promise<void> {
  await withGate(flags, async (gate) => {
    const { id: projectId } = await findProject(gate, flags.project);
    await removeGroup(gate, OPERATOR, { projectId, name });
  });
  if (flags.json) return printJson({ name, removed: true });
  process.stdout.write(`Removed group ${name}.\n`);
}

async function withNames(
  gate: GateParts,
  projectId: string,
  groups: readonly Group[],
): Promise<NamedGroup[]> {
  const members = await allPages((page) => listMembers(gate, OPERATOR, { projectId, ...page }));
  const emails = new Map(members.map(({ userId, email }) => [userId, email]));
  return groups.map(({ name, memberIds, createdAt }) => ({
    name,
    members: memberIds.map((id) => ({ id, email: emails.get(id) ?? '' })),
    created_at: createdAt,
  }));
}

function peopleOf({ members }: NamedGroup): string {
  return members.map(({ email }) => email).join(', ') || 'nobody';
}
