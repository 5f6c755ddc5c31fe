import { type Gate, type Group, listGroups, listMembers, removeGroup, saveGroup } from '@permitry/server';
import type { Command } from 'commander';
import { allPages } from '../all-pages.ts';
import { type AdminFlags, adminCommand, examples } from '../command-options.ts';
import { findProject } from '../find-project.ts';
import { withGate } from '../open-gate-for-admin.ts';
import { OPERATOR } from '../operator.ts';
import { printJson } from '../print-json.ts';
import { printTable } from '../print-table.ts';

/** A group with its people by their addresses. */
interface NamedGroup {
  name: string;
  members: { id: string; email: string }[];
  created_at: string;
}

export function addGroupCommands(program: Command): void {
  const group = program
    .command('group')
    .summary('named sets of members, for policies')
    .description('Named sets of members, for policies.');

  adminCommand(group, 'set', 'make a group, or give it another set of members')
    .argument('<name>', 'such as finance')
    .argument('[emails...]', 'its members, all of them')
    .addHelpText('after', examples('permitry group set finance ann@example.org bob@example.org'))
    .action(set);

  adminCommand(group, 'list', 'list the groups of a project')
    .addHelpText('after', examples('permitry group list'))
    .action(list);

  adminCommand(group, 'remove', 'remove a group')
    .argument('<name>')
    .addHelpText('after', examples('permitry group remove finance'))
    .action(remove);
}

async function set(name: string, members: string[], flags: AdminFlags): Promise<void> {
  const group = await withGate(flags, async (gate) => {
    const { id: projectId } = await findProject(gate, flags.project);
    const saved = await saveGroup(gate, OPERATOR, { projectId, name, members });
    return withNames(gate, projectId, [saved]);
  });
  if (flags.json) return printJson(group[0]);
  process.stdout.write(`Group ${name}: ${group[0] ? peopleOf(group[0]) : ''}\n`);
}

async function list(flags: AdminFlags): Promise<void> {
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

async function remove(name: string, flags: AdminFlags): Promise<void> {
  await withGate(flags, async (gate) => {
    const { id: projectId } = await findProject(gate, flags.project);
    await removeGroup(gate, OPERATOR, { projectId, name });
  });
  if (flags.json) return printJson({ name, removed: true });
  process.stdout.write(`Removed group ${name}.\n`);
}

async function withNames(gate: Gate, projectId: string, groups: readonly Group[]): Promise<NamedGroup[]> {
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
