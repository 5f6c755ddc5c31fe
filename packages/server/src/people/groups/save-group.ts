import type { Caller } from '../../gate/access/caller.ts';
import type { Group, Member } from '../../gate/approvals/people.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import type { Remember } from '../../gate/kernel/idempotency.ts';
import { invalidFields } from '../../gate/kernel/invalid-fields.ts';
import { changeProject } from '../../gate/projects/change-project.ts';
import { toEmailAddress } from '../../gate/projects/email-address.ts';
import type { PeopleDeps } from '../people-deps.ts';

/** Neither an address nor a `role:…`, so that a name in a policy stands for one thing only. */
const GROUP_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const MAX_MEMBERS = 1000;

export interface GroupInput {
  projectId: string;
  name: string;
  /** E-mail addresses or user ids of members of the project. */
  members: readonly string[];
}

export interface SavedGroup {
  group: Group;
  /** All members of the project. */
  people: readonly Member[];
}

/**
 * Makes a group.
 *
 * @throws GateError as `saveGroup`, and `conflict` when there is one of that name
 */
export function createGroup(
  gate: PeopleDeps,
  caller: Caller,
  input: GroupInput,
  remember?: Remember<SavedGroup>,
): Promise<SavedGroup> {
  const assertNew = (before: Group | undefined) => {
    if (before) throw new GateError('conflict', `There is a group named ${before.name} already.`, {});
  };
  return writeGroup(gate, caller, input, assertNew, remember);
}

/**
 * Makes a group or gives it another set of members. The event names who did it and whom it let in and out: who may
 * fill a group may fill a quorum.
 *
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

/** The ids of the members meant, each once. */
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
          message: 'Nobody in this project is known by this.',
        },
    ),
  ];
  if (problems.some((problem) => problem !== false)) throw invalidFields(...problems);
  return [...new Set(ids)];
}
