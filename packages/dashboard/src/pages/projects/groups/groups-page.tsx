import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/form-dialog.tsx';
import { Listing } from '../../../ui/listing.tsx';
import { Table } from '../../../ui/table.tsx';
import { ProjectPage } from '../project-frame/project-page.tsx';
import { groupsQuery, useProject } from '../project-frame/queries.ts';
import type { Group } from '../project-frame/wire.ts';
import { GroupDialog } from './group-dialog.tsx';

/** The open dialog: create a group, change its members, or remove it. */
type Doing = { kind: 'make' } | { kind: 'edit' | 'remove'; group: Group } | null;

/** Named sets of members that policies can require. */
export default function GroupsPage() {
  const { projectId, mayManage } = useProject();
  const [doing, setDoing] = useState<Doing>(null);
  const query = useQuery(groupsQuery(projectId));
  const groups = query.data?.items ?? [];
  const close = () => setDoing(null);
  const create = mayManage && (
    <Button tone="primary" icon="plus" onClick={() => setDoing({ kind: 'make' })}>
      New group
    </Button>
  );
  const buttonsOf = (group: Group) => (
    <>
      <Button
        size="s"
        aria-label={`Change the members of ${group.name}`}
        onClick={() => setDoing({ kind: 'edit', group })}
      >
        Members
      </Button>
      <Button
        size="s"
        tone="deny"
        aria-label={`Remove the group ${group.name}`}
        onClick={() => setDoing({ kind: 'remove', group })}
      >
        Remove
      </Button>
    </>
  );
  return (
    <ProjectPage
      title="Groups"
      lead="Named sets of members. A policy asks a group, for instance two of finance, and people come and go."
      actions={groups.length > 0 && create}
    >
      <Listing
        query={query}
        count={groups.length}
        empty={{
          icon: 'group',
          title: 'No groups yet',
          lead: 'Until a policy asks for a group, any approver of the project may decide.',
          actions: create,
        }}
      >
        <Table
          caption="Groups of the project"
          rows={groups}
          columns={{
            Group: ({ name }) => <InertText text={name} />,
            Members: ({ members }) => <Members emails={members} />,
          }}
          actions={mayManage ? buttonsOf : undefined}
        />
      </Listing>
      {doing?.kind === 'make' && <GroupDialog group={null} onClose={close} />}
      {doing?.kind === 'edit' && <GroupDialog group={doing.group} onClose={close} />}
      {doing?.kind === 'remove' && <RemoveGroupDialog group={doing.group} onClose={close} />}
    </ProjectPage>
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

function RemoveGroupDialog({ group, onClose }: { group: Group; onClose: () => void }) {
  const { projectId, path } = useProject();
  return (
    <ConfirmDialog
      title="Remove this group?"
      confirmLabel="Remove the group"
      change={() => api.delete(path(`/groups/${encodeURIComponent(group.name)}`))}
      done={`Removed the group ${group.name}.`}
      touched={['projects', projectId]}
      onClose={onClose}
    >
      <p>
        <InertText text={group.name} /> goes; its members stay members. Requests that wait and ask for it can
        then be approved by nobody. A group that the policy asks for stays.
      </p>
    </ConfirmDialog>
  );
}
