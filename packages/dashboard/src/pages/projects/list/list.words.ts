/** Texts of the list of projects. */
import type { Mode, Role } from '../../../api/session.ts';
import { formatCount } from '../../../ui/format.ts';

export const title = 'Projects';
export const lead = 'A project has its own agents, keys, members, policy and audit log.';
export const empty = {
  title: 'You’re not a member of any project',
  lead: 'Ask an admin of a project to invite you. You get an invitation link by email or from the admin.',
} as const;
export const modes: Readonly<Record<Mode, { title: string; lead: string }>> = {
  live: {
    title: 'Live mode',
    lead: 'For real actions: executors run what is approved here. No one decides their own requests.',
  },
  test: {
    title: 'Test mode',
    lead: 'For trying out: executors that expect live permits refuse the permits of these projects.',
  },
};

export const pending = (count: number) => {
  if (count === 0) return 'No pending requests';
  return count === 1 ? '1 pending request' : `${formatCount(count)} pending requests`;
};
export const members = (count: number) => (count === 1 ? 'Only you' : `${formatCount(count)} members`);
export const yourRole = (role: Role) => `You are ${/^[ao]/.test(role) ? 'an' : 'a'} ${role}`;

export const create = 'Create project';
export const created = (project: string) => `Created the project ${project}.`;
export const name = 'Name';
export const nameHint = 'Approvers see it when they decide, for example “Refunds”. You can change it later.';
export const mode = 'Mode (can’t be changed later)';
export const modeChoices: Readonly<Record<Mode, { label: string; hint: string }>> = {
  test: {
    label: 'Test',
    hint: 'For trying out. One secret key can both send requests and approve them. Permits are marked as test permits.',
  },
  live: {
    label: 'Live',
    hint: 'For real actions. No one decides their own requests, and only people can change keys, members and policy.',
  },
};
