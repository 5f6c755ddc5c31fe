import type { Caller } from '../../gate/access/caller.ts';
import type { Group, Member } from '../../gate/approvals/people.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import type { Remember } from '../../gate/kernel/idempotency.ts';
import { invalidFields } from '../../gate/kernel/invalid-fields.ts';
import { changeProject } from '../../gate/projects/change-project.ts';
import { toEmailAddress } from '../../gate/projects/email-address.ts';
import type { PeopleDeps } from '../people-deps.ts';

/** Matches neither an address nor a `role:…`, so a name in a policy has one meaning only. */
const GROUP_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const MAX_MEMBERS = 1000;

export interface GroupInput {
  projectId: string;
  name: string;
  /** Email addresses or user IDs of members of the project. */
  members: readonly string[];
}

export interface SavedGroup {
  group: Group;
  /** All members of the project. */
  people: readonly Member[];
}

/**
 * Creates a group.
 * @throws GateError as `saveGroup`, and `conflict` when the name is taken
 */
export function createGroup(
  gate: PeopleDeps,
  caller: Caller,
  input: GroupInput,
  remember?: Remember<SavedGroup>,
): Promise<SavedGroup> {
  const assertNew = (before: Group | undefined) => {
    if (before) throw new GateError('conflict', `A group named ${before.name} already exists.`, {});
  };
  return writeGroup(gate, caller, input, assertNew, remember);
}

/**
 * Creates a group or replaces its members. The event names the caller and the members added and removed, because anyone
 * who can fill a group can fill a quorum.
 * @throws GateError `project_not_found`, `forbidden`, `invalid_fields` naming everyone who is not a member
 */
export async function saveGroup(gate: PeopleDeps, caller: Caller, input: GroupInput): Promise<Group> {
  return (await writeGroup(gate, caller, input, () => {})).group;
}

function writeGroup(
  gate: PeopleDeps,
  caller: Caller,
  input: GroupInput,
  check: (before: Group | undefined) => void,
  remember?: Remember<SavedGroup>,
): Promise<SavedGroup> {
  const { projectId, name } = input;
  return changeProject(
    gate,
    caller,
    projectId,
    'members:write',
    async ({ tx, now, record }) => {
      const members = await tx.listMembers(projectId);
      const memberIds = checkGroup(input, members);
      const before = (await tx.listGroups(projectId)).find((group) => group.name === name);
      check(before);
      const added = memberIds.filter((id) => !before?.memberIds.includes(id));
      const removed = (before?.memberIds ?? []).filter((id) => !memberIds.includes(id));
      if (before && added.length === 0 && removed.length === 0) return { group: before, people: members };

      const group: Group = { projectId, name, memberIds, createdAt: before?.createdAt ?? now };
      await tx.saveGroup(group);
      await record('group.updated', {
        name,
        created: before === undefined,
        member_ids: memberIds,
        added,
        removed,
      });
      return { group, people: members };
    },
    remember,
  );
}

/** The IDs of the named members, without duplicates. */
function checkGroup(
  { name, members: meant }: { name: string; members: readonly string[] },
  members: readonly Member[],
): string[] {
  const found = meant.map((text) => {
    const email = toEmailAddress(text);
    return members.find((member) => member.userId === text || member.email === email)?.userId;
  });
  const ids = found.filter((id) => id !== undefined);
  const problems = [
    !GROUP_NAME.test(name) && {
      path: '/name',
      message: 'Must be 1 to 64 characters: a-z, 0-9, _ and -, beginning with a letter or digit.',
    },
    meant.length > MAX_MEMBERS && { path: '/members', message: `Must be at most ${MAX_MEMBERS}.` },
    ...found.map(
      (id, index) =>
        id === undefined && {
          path: `/members/${index}`,
          message: 'No member of this project has this address or ID.',
        },
    ),
  ];
  if (problems.some((problem) => problem !== false)) throw invalidFields(...problems);
  return [...new Set(ids)];
}
