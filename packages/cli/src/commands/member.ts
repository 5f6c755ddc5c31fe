import { ROLES, type Role } from '@permitry/protocol';
import type { MemberSchema, Static } from '@permitry/protocol/schemas';
import { Argument, type Command, Option } from 'commander';
import { atProject } from '../at-project.ts';
import { type AdminFlags, adminCommand, examples, gateCommand } from '../command-options.ts';
import { findMember } from '../find-named.ts';
import { OPERATOR, withGate } from '../open-gate.ts';
import { printJson, printTable } from '../printing/print.ts';
import { fullTime, shortTime } from '../printing/say.ts';

type Member = Static<typeof MemberSchema>;
type RoleFlags = AdminFlags & { role: Role };

export function addMemberCommands(program: Command): void {
  const member = program
    .command('member')
    .summary('manage members and their roles')
    .description('Manage the members of a project and their roles.')
    .addHelpText('after', examples('permitry member add bob@example.org --role approver'));

  adminCommand(member, 'add', 'add a person as a member')
    .argument('<email>')
    .addOption(new Option('--role <role>', 'role of the member').choices([...ROLES]).makeOptionMandatory())
    .addHelpText('after', examples('permitry member add bob@example.org --role approver'))
    .action(add);

  adminCommand(member, 'list', 'list the members of a project')
    .addHelpText('after', examples('permitry member list'))
    .action(list);

  adminCommand(member, 'role', 'change the role of a member')
    .argument('<email>')
    .addArgument(new Argument('<role>').choices([...ROLES]))
    .addHelpText('after', examples('permitry member role bob@example.org admin'))
    .action(changeRole);

  adminCommand(
    member,
    'invite-link',
    'create an invitation link, valid for 7 days',
    'The link works once. Use it where the gate sends no email.',
  )
    .argument('<email>')
    .addOption(new Option('--role <role>', 'role of the member').choices([...ROLES]).makeOptionMandatory())
    .addHelpText('after', examples('permitry member invite-link bob@example.org --role approver'))
    .action(inviteLink);

  gateCommand(
    member,
    'reset-link',
    'create a link to set a new password, valid for 24 hours',
    'The link works once. Use it for a member who can no longer sign in.',
  )
    .argument('<email>')
    .option(
      '--drop-second-factor',
      'also remove the second factor, if the authenticator app and the recovery codes are lost',
    )
    .addHelpText('after', examples('permitry member reset-link bob@example.org'))
    .action(resetLink);

  adminCommand(
    member,
    'remove',
    'remove a member from a project',
    'The secret keys that the member answers for are revoked.',
  )
    .argument('<email>')
    .addHelpText('after', examples('permitry member remove bob@example.org'))
    .action(remove);
}

async function add(email: string, { role, ...flags }: RoleFlags): Promise<void> {
  const member = await atProject(flags, (at) =>
    at.ask<Member>('POST', '/members', { body: { email, role } }),
  );
  if (flags.json) return printJson(member);
  process.stdout.write(`${member.email} is now a member with the role ${member.role}.\n`);
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
  process.stdout.write(`${member.email} now has the role ${member.role}.\n`);
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
    `With this link, ${invited} joins with the role ${invitation.role}. It works once, until ${fullTime(expiresAt, process.stderr)}:\n`,
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
    `With this link, ${made.email} can set a new password. It works once, until ${fullTime(made.expiresAt, process.stderr)}:\n`,
  );
  process.stdout.write(`${made.link}\n`);
}

async function remove(email: string, flags: AdminFlags): Promise<void> {
  const member = await atProject(flags, async (at) =>
    at.ask<Member>('DELETE', `/members/${(await findMember(at, email)).id}`),
  );
  if (flags.json) return printJson(member);
  process.stdout.write(`${member.email} is no longer a member.\n`);
}
