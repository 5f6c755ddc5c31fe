import type { GroupSchema, MemberSchema, Static } from '@permitry/protocol/schemas';
import type { Command } from 'commander';
import { type AtProject, atProject } from '../at-project.ts';
import { usage } from '../command-failure.ts';
import { type AdminFlags, adminCommand, examples } from '../command-options.ts';
import { printJson, printTable } from '../printing/print.ts';

type Group = Static<typeof GroupSchema>;

export function addGroupCommands(program: Command): void {
  const group = program
    .command('group')
    .summary('manage groups of members')
    .description('Manage groups: named sets of members that policy rules can name as approvers.')
    .addHelpText('after', examples('permitry group set finance ann@example.org bob@example.org'));

  adminCommand(group, 'set', 'create a group or replace its members')
    .argument('<name>', 'name of the group, such as finance')
    .argument('[emails...]', 'all its members; others are removed from it')
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

async function set(name: string, emails: string[], flags: AdminFlags): Promise<void> {
  const members = [...new Set(emails)];
  const { group, ids } = await atProject(flags, async (at) => {
    const saved = at.ask<Group>('PUT', `/groups/${encodeURIComponent(name)}`, { body: { members } });
    return {
      group: await saved.catch((error: unknown) => {
        throw inWordsOfArguments(error, members);
      }),
      ids: await idsByEmail(at),
    };
  });
  if (flags.json) return printJson(toJson(group, ids));
  process.stdout.write(`Group ${name}: ${peopleOf(group)}\n`);
}

/** Replaces the API's index of a member (`members/0: …`, `/members/0 must …`) with the name on the command line. */
function inWordsOfArguments(error: unknown, members: readonly string[]): unknown {
  if (!(error instanceof Error && /^(?:members\/|The body is not valid: \/members\/)/.test(error.message)))
    return error;
  const message = error.message
    .replace(/^The body is not valid: /, '')
    .replace(/\/?members\/(\d+)/g, (_, index) => members[Number(index)] || '""');
  return usage(message, error);
}

async function list(flags: AdminFlags): Promise<void> {
  const { groups, ids } = await atProject(flags, async (at) => ({
    groups: await at.list<Group>('/groups'),
    ids: await idsByEmail(at),
  }));
  if (flags.json) return printJson(groups.map((group) => toJson(group, ids)));
  printTable(
    groups,
    [
      { title: 'NAME', text: ({ name }) => name },
      { title: 'MEMBERS', text: peopleOf, shrinks: true },
    ],
    'This project has no groups. Create one with: permitry group set NAME EMAIL…',
  );
}

async function remove(name: string, flags: AdminFlags): Promise<void> {
  await atProject(flags, (at) => at.ask('DELETE', `/groups/${encodeURIComponent(name)}`));
  if (flags.json) return printJson({ name, removed: true });
  process.stdout.write(`Removed group ${name}.\n`);
}

async function idsByEmail(at: AtProject): Promise<ReadonlyMap<string, string>> {
  const members = await at.list<Static<typeof MemberSchema>>('/members');
  return new Map(members.map(({ id, email }) => [email, id]));
}

function toJson({ name, members, created_at }: Group, ids: ReadonlyMap<string, string>) {
  return { name, members: members.map((email) => ({ id: ids.get(email), email })), created_at };
}

function peopleOf({ members }: Group): string {
  return members.join(', ') || 'no members';
}
