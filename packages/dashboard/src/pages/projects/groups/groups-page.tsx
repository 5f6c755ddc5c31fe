import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { useRole } from '../../../api/session.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { type Column, Table } from '../../../ui/table.tsx';
import { Waiting } from '../../../ui/waiting.tsx';
import { ConfirmChange } from '../project-frame/confirm-change.tsx';
import { ProjectPage } from '../project-frame/project-page.tsx';
import { groupsQuery, projectPath, useProjectId } from '../project-frame/queries.ts';
import type { Group } from '../project-frame/wire.ts';
import { GroupDialog } from './group-dialog.tsx';

/** Named sets of members, for policies to ask. */
export default function GroupsPage() {
  const projectId = useProjectId();
  const { isAtLeast } = useRole(projectId);
  const [isMaking, setMaking] = useState(false);
  const [editing, setEditing] = useState<Group | null>(null);
  const { data, error, isPending, refetch } = useQuery(groupsQuery(projectId));
  const create = isAtLeast('admin') && (
    <Button tone="primary" icon="plus" onClick={() => setMaking(true)}>
      New group
    </Button>
  );
  return (
    <ProjectPage
      title="Groups"
      lead="Named sets of members. A policy asks a group, for instance two of finance, and people come and go."
      actions={data && data.items.length > 0 && create}
    >
      <ErrorPanel error={error} onRetry={refetch} />
      {isPending && <Waiting />}
      {data?.items.length === 0 && (
        <Card>
          <EmptyState
            icon="group"
            title="No groups yet"
            lead="Until a policy asks for a group, any approver of the project may decide."
            actions={create}
          />
        </Card>
      )}
      {data && data.items.length > 0 && (
        <Groups projectId={projectId} groups={data.items} onEdit={isAtLeast('admin') ? setEditing : null} />
      )}
      {isMaking && <GroupDialog projectId={projectId} group={null} onClose={() => setMaking(false)} />}
      {editing && <GroupDialog projectId={projectId} group={editing} onClose={() => setEditing(null)} />}
    </ProjectPage>
  );
}

function Groups({
  projectId,
  groups,
  onEdit,
}: {
  projectId: string;
  groups: readonly Group[];
  /** Null: one may only look. */
  onEdit: ((group: Group) => void) | null;
}) {
  const [removing, setRemoving] = useState<Group | null>(null);
  const columns: Column<Group>[] = [
    { key: 'name', header: 'Group', primary: true, cell: ({ name }) => <InertText text={name} /> },
    { key: 'members', header: 'Members', cell: ({ members }) => <Members emails={members} /> },
  ];
  if (onEdit) {
    columns.push({
      key: 'actions',
      header: 'What can be done',
      actions: true,
      cell: (group) => (
        <>
          <Button size="s" aria-label={`Change the members of ${group.name}`} onClick={() => onEdit(group)}>
            Members
          </Button>
          <Button
            size="s"
            tone="deny"
            aria-label={`Remove the group ${group.name}`}
            onClick={() => setRemoving(group)}
          >
            Remove
          </Button>
        </>
      ),
    });
  }
  return (
    <>
      <Card flush>
        <Table caption="Groups of the project" columns={columns} rows={groups} rowKey={({ id }) => id} />
      </Card>
      {removing && (
        <RemoveGroupDialog projectId={projectId} group={removing} onClose={() => setRemoving(null)} />
      )}
    </>
  );
}

const NAMES_SHOWN = 8;

function Members({ emails }: { emails: readonly string[] }) {
  if (emails.length === 0)
    return <Badge tone="warn">nobody: what asks for it can be approved by nobody</Badge>;
  return (
    <span>
      {emails.slice(0, NAMES_SHOWN).map((email, at) => (
        <span key={email}>
          {at > 0 && ', '}
          <InertText text={email} />
        </span>
      ))}
      {emails.length > NAMES_SHOWN && ` and ${emails.length - NAMES_SHOWN} more`}
    </span>
  );
}

function RemoveGroupDialog({
  projectId,
  group,
  onClose,
}: {
  projectId: string;
  group: Group;
  onClose: () => void;
}) {
  return (
    <ConfirmChange
      title="Remove this group?"
      confirmLabel="Remove the group"
      change={() => api.delete(projectPath(projectId, `/groups/${encodeURIComponent(group.name)}`))}
      done={`Removed the group ${group.name}.`}
      touched={['projects', projectId]}
      onClose={onClose}
    >
      <p>
        <InertText text={group.name} /> goes; its members stay members. Requests that wait and ask for it can
        then be approved by nobody. A group that the policy asks for stays.
      </p>
    </ConfirmChange>
  );
}
