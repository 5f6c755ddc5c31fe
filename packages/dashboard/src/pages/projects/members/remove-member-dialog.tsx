import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { ConfirmDialog } from '../../../ui/form-dialog.tsx';
import { agentsQuery, groupsQuery, keysQuery, useProject } from '../project-frame/queries.ts';
import type { Agent, Group, Key, Member } from '../project-frame/wire.ts';

/** Lists what ends with the membership before it ends: groups, secret keys and agents, by name. */
export function RemoveMemberDialog({
  member,
  groups,
  onClose,
}: {
  member: Member;
  groups: readonly string[];
  onClose: () => void;
}) {
  const { projectId, path } = useProject();
  const { data: keys } = useQuery(keysQuery(projectId));
  const { data: allGroups } = useQuery(groupsQuery(projectId));
  const ending = (keys?.items ?? []).filter((key) => endsWith(member, key));
  const { data: agents } = useQuery(agentsQuery(projectId));
  const orphaned = (agents?.items ?? []).filter((agent) => agent.owner_id === member.id && isInUse(agent));
  const emptied = (allGroups?.items ?? []).filter((group) => isEmptiedBy(member, group));
  return (
    <ConfirmDialog
      title="Remove this member?"
      confirmLabel="Remove"
      change={() => api.delete(path(`/members/${member.id}`))}
      done={`Removed ${member.email}.`}
      touched={['projects', projectId]}
      onClose={onClose}
    >
      <p>
        <InertText text={member.email} /> sees and decides nothing here from the next request on.
      </p>
      <ul className="project-points">
        <li>
          {ending.length === 0 ? (
            'They answer for no secret key.'
          ) : (
            <>
              {ending.length === 1 ? 'One secret key ends' : `${ending.length} secret keys end`} at once, with
              the programs that use {ending.length === 1 ? 'it' : 'them'}: <List names={ending.map(nameOf)} />
            </>
          )}
          {keys?.isCut && ' There may be more among older keys.'}
        </li>
        {orphaned.length > 0 && (
          <li>
            The keys of {orphaned.length === 1 ? 'their agent expire' : 'their agents expire'} in 7 days,
            unless an admin takes {orphaned.length === 1 ? 'it' : 'them'} over:{' '}
            <List names={orphaned.map(({ name }) => name)} />
          </li>
        )}
        {groups.length > 0 && (
          <li>
            They leave {groups.length === 1 ? 'the group' : 'the groups'} <List names={groups} />
          </li>
        )}
        {emptied.length > 0 && (
          <li>
            <strong>
              Nobody is left in <List names={emptied.map(({ name }) => name)} />
            </strong>{' '}
            What asks for {emptied.length === 1 ? 'it' : 'them'} can then be approved by nobody.
          </li>
        )}
        <li>What they decided stays in the record.</li>
      </ul>
    </ConfirmDialog>
  );
}

function isInUse({ status }: Agent): boolean {
  return status !== 'revoked';
}

function endsWith({ id }: Member, key: Key): boolean {
  return key.kind === 'secret' && key.owner_id === id && key.revoked_at === null;
}

function isEmptiedBy({ email }: Member, { members }: Group): boolean {
  return members.length === 1 && members[0] === email;
}

function nameOf({ name, hint }: Key): string {
  return `${name} (…${hint})`;
}

function List({ names }: { names: readonly string[] }) {
  return names.map((name, at) => (
    <span key={name}>
      {at > 0 && ', '}
      <InertText text={name} />
      {at === names.length - 1 && '.'}
    </span>
  ));
}
