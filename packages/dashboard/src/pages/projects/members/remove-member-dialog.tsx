import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { ConfirmDialog } from '../../../ui/form-dialog.tsx';
import { agentsQuery, groupsQuery, keysQuery, useProject } from '../project-frame/queries.ts';
import type { Agent, Group, Key, Member } from '../project-frame/wire.ts';
import * as words from './members.words.ts';

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
      title={words.removeTitle}
      confirmLabel={words.removeMember}
      change={() => api.delete(path(`/members/${member.id}`))}
      done={words.removed(member.email)}
      touched={['projects', projectId]}
      onClose={onClose}
    >
      <p>{words.losesAccess(<InertText text={member.email} />)}</p>
      <ul className="project-points">
        <li>
          {ending.length === 0
            ? words.noKeys
            : words.keysEnd(ending.length, <List names={ending.map(nameOf)} />)}{' '}
          {keys?.isCut && words.moreKeys}
        </li>
        {orphaned.length > 0 && (
          <li>{words.agentKeysExpire(orphaned.length, <List names={orphaned.map(({ name }) => name)} />)}</li>
        )}
        {groups.length > 0 && <li>{words.leaveGroups(groups.length, <List names={groups} />)}</li>}
        {emptied.length > 0 && (
          <li>
            <strong>{words.emptyGroups(<List names={emptied.map(({ name }) => name)} />)}</strong>{' '}
            {words.emptyGroupsConsequence(emptied.length)}
          </li>
        )}
        <li>{words.decisionsStay}</li>
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
