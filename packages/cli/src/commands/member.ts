import { ROLES, type Role } from '@permitry/protocol';
import type { MemberSchema, Static } from '@permitry/protocol/schemas';
import { Argument, type Command, Option } from 'commander';
import { atProject } from '../at-project.ts';
import { type AdminFlags, adminCommand, examples, gateCommand } from '../command-options.ts';
import { findMember } from '../find-named.ts';
import { OPERATOR, withGate } from '../open-gate.ts';
import { printJson, printTable } from '../printing/print.ts';
import { shortTime } from '../printing/say.ts';

type Member = Static<typeof MemberSchema>;
type RoleFlags = AdminFlags & { role: Role };

export function addMemberCommands(program: Command): void {
  const member = program
    .command('member')
    .summary('people of a project and their roles')
    .description('People of a project and their roles.')
    .addHelpText('after', examples('permitry member add bob@example.org --role approver'));

  adminCommand(member, 'add', 'make a person a member')
    .argument('<email>')
    .addOption(new Option('--role <role>', 'what they may do').choices([...ROLES]).makeOptionMandatory())
    .addHelpText('after', examples('permitry member add bob@example.org --role approver'))
    .action(add);

  adminCommand(member, 'list', 'list the members of a project')
    .addHelpText('after', examples('permitry member list'))
    .action(list);

  adminCommand(member, 'role', 'give a member another role, from the next request on')
    .argument('<email>')
    .addArgument(new Argument('<role>').choices([...ROLES]))
    .addHelpText('after', examples('permitry member role bob@example.org admin'))
    .action(changeRole);

  adminCommand(member, 'invite-link', 'make a link by which a person becomes a member, for a week')
    .argument('<email>')
    .addOption(new Option('--role <role>', 'what they may do').choices([...ROLES]).makeOptionMandatory())
    .addHelpText('after', examples('permitry member invite-link bob@example.org --role approver'))
    .action(inviteLink);

  gateCommand(member, 'reset-link', 'make a link by which a member sets a password, for a day')
    .argument('<email>')
    .option('--drop-second-factor', 'for whoever lost the authenticator app and the recovery codes')
    .addHelpText('after', examples('permitry member reset-link bob@example.org'))
    .action(resetLink);

  adminCommand(member, 'remove', 'take a member out, with the secret keys they answer for')
    .argument('<email>')
    .addHelpText('after', examples('permitry member remove bob@example.org'))
    .action(remove);
}

async function add(email: string, { role, ...flags }: RoleFlags): Promise<void> {
  const member = await atProject(flags, (at) =>
    at.ask<Member>('POST', '/members', { body: { email, role } }),
  );
  if (flags.json) return printJson(member);
  process.stdout.write(`${member.email} is a member now, with the role ${member.role}.\n`);
}

async function list(flags: AdminFlags): Promise<void> {
  const members = await atProject(flags, (at) => at.list<Member>('/members'));
  if (flags.json) return printJson(members);
  printTable(
    members,
    [
      { title: 'EMAIL', text: ({ email }) => email, shrinks: true },
      { title: 'ROLE', text: ({ role }) => role },
      { title: 'ID', text: ({ id }) => id },
      { title: 'SINCE', text: ({ created_at }) => shortTime(created_at) },
    ],
    'This project has no members.',
  );
}

async function changeRole(email: string, role: Role, flags: AdminFlags): Promise<void> {
  const member = await atProject(flags, async (at) =>
    at.ask<Member>('PATCH', `/members/${(await findMember(at, email)).id}`, { body: { role } }),
  );
  if (flags.json) return printJson(member);
  process.stdout.write(`${member.email} has the role ${member.role}.\n`);
}

/** Only the link goes to stdout, so that a script can read it there. */
async function inviteLink(email: string, { role, ...flags }: RoleFlags): Promise<void> {
  const { invitation, link } = await atProject(flags, async ({ gate, project }) => {
    const { createInvitation } = await import('@permitry/server');
    return createInvitation(gate, OPERATOR, { projectId: project.id, email, role });
  });
  const { id, email: invited, expiresAt } = invitation;
  if (flags.json)
    return printJson({ id, email: invited, role: invitation.role, expires_at: expiresAt, link });
  process.stderr.write(
    `${invited} becomes a member (${invitation.role}) by this link, once, until ${shortTime(expiresAt)}:\n`,
  );
  process.stdout.write(`${link}\n`);
}

async function resetLink(
  email: string,
  { dropSecondFactor = false, ...flags }: AdminFlags & { dropSecondFactor?: boolean },
): Promise<void> {
  const made = await withGate(flags, ({ gate }, { makeResetLink }) =>
    makeResetLink(gate, OPERATOR, { email, dropSecondFactor }),
  );
  if (flags.json) return printJson({ email: made.email, link: made.link, expires_at: made.expiresAt });
  process.stderr.write(
    `${made.email} sets a password by this link, once, until ${shortTime(made.expiresAt)}:\n`,
  );
  process.stdout.write(`${made.link}\n`);
}

async function remove(email: string, flags: AdminFlags): Promise<void> {
  const member = await atProject(flags, async (at) =>
    at.ask<Member>('DELETE', `/members/${(await findMember(at, email)).id}`),
  );
  if (flags.json) return printJson(member);
  process.stdout.write(`${member.email} is no member any more.\n`);
}
