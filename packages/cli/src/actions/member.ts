import type { Role } from '@permitry/protocol';
import {
  addMember,
  changeRole,
  createInvitation,
  listMembers,
  type Member,
  makeResetLink,
  removeMember,
} from '@permitry/server';
import { allPages } from '../all-pages.ts';
import type { AdminFlags } from '../command-options.ts';
import { findMember } from '../find-member.ts';
import { findProject } from '../find-project.ts';
import { withGate } from '../open-gate-for-admin.ts';
import { OPERATOR } from '../operator.ts';
import { printJson } from '../printing/print-json.ts';
import { printTable } from '../printing/print-table.ts';
import { shortTime } from '../printing/short-time.ts';

export type AddFlags = AdminFlags & { role: Role };
export type ResetFlags = AdminFlags & { dropSecondFactor?: true };

export async function add(email: string, flags: AddFlags): Promise<void> {
  const member = await withGate(flags, async (gate) => {
    const { id: projectId } = await findProject(gate, flags.project);
    return addMember(gate, OPERATOR, { projectId, email, role: flags.role });
  });
  if (flags.json) return printJson(toJson(member));
  process.stdout.write(`${member.email} is a member now, with the role ${member.role}.\n`);
}

export async function list(flags: AdminFlags): Promise<void> {
  const members = await withGate(flags, async (gate) => {
    const { id: projectId } = await findProject(gate, flags.project);
    return allPages((page) => listMembers(gate, OPERATOR, { projectId, ...page }));
  });
  if (flags.json) return printJson(members.map(toJson));
  printTable(
    members,
    [
      { title: 'EMAIL', text: ({ email }) => email, shrinks: true },
      { title: 'ROLE', text: (member) => member.role },
      { title: 'ID', text: ({ userId }) => userId },
      { title: 'SINCE', text: ({ createdAt }) => shortTime(createdAt) },
    ],
    'This project has no members.',
  );
}

export async function role(email: string, wanted: Role, flags: AdminFlags): Promise<void> {
  const member = await withGate(flags, async (gate) => {
    const { id: projectId } = await findProject(gate, flags.project);
    const { userId } = await findMember(gate, projectId, email);
    return changeRole(gate, OPERATOR, { projectId, userId, role: wanted });
  });
  if (flags.json) return printJson(toJson(member));
  process.stdout.write(`${member.email} has the role ${member.role}.\n`);
}

/** Only the link goes to stdout, so that a script may take it from there. */
export async function inviteLink(email: string, flags: AddFlags): Promise<void> {
  const { invitation, link } = await withGate(flags, async (gate) => {
    const { id: projectId } = await findProject(gate, flags.project);
    return createInvitation(gate, OPERATOR, { projectId, email, role: flags.role });
  });
  const { id, email: invited, role, expiresAt } = invitation;
  if (flags.json) return printJson({ id, email: invited, role, expires_at: expiresAt, link });
  process.stderr.write(
    `${invited} becomes a member (${role}) by this link, once, until ${shortTime(expiresAt)}:\n`,
  );
  process.stdout.write(`${link}\n`);
}

export async function resetLink(email: string, flags: ResetFlags): Promise<void> {
  const dropSecondFactor = flags.dropSecondFactor === true;
  const made = await withGate(flags, (gate) => makeResetLink(gate, OPERATOR, { email, dropSecondFactor }));
  if (flags.json) return printJson({ email: made.email, link: made.link, expires_at: made.expiresAt });
  process.stderr.write(
    `${made.email} sets a password by this link, once, until ${shortTime(made.expiresAt)}:\n`,
  );
  process.stdout.write(`${made.link}\n`);
}

export async function remove(email: string, flags: AdminFlags): Promise<void> {
  const member = await withGate(flags, async (gate) => {
    const { id: projectId } = await findProject(gate, flags.project);
    const { userId } = await findMember(gate, projectId, email);
    return removeMember(gate, OPERATOR, { projectId, userId });
  });
  if (flags.json) return printJson(toJson(member));
  process.stdout.write(`${member.email} is no member any more.\n`);
}

function toJson({ userId, email, role, createdAt }: Member) {
  return { id: userId, email, role, created_at: createdAt };
}
