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
import * as words from './groups.words.ts';

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
      {words.create}
    </Button>
  );
  const buttonsOf = (group: Group) => (
    <>
      <Button
        size="s"
        aria-label={words.editNamed(group.name)}
        onClick={() => setDoing({ kind: 'edit', group })}
      >
        {words.edit}
      </Button>
      <Button
        size="s"
        tone="deny"
        aria-label={words.removeNamed(group.name)}
        onClick={() => setDoing({ kind: 'remove', group })}
      >
        {words.remove}
      </Button>
    </>
  );
  return (
    <ProjectPage title={words.title} lead={words.lead} actions={groups.length > 0 && create}>
      <Listing
        query={query}
        count={groups.length}
        empty={{
          icon: 'group',
          ...words.empty,
          actions: create,
        }}
      >
        <Table
          caption={words.groupList}
          rows={groups}
          columns={{
            [words.columns.group]: ({ name }) => <InertText text={name} />,
            [words.columns.members]: ({ members }) => <Members emails={members} />,
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
  if (emails.length === 0) return <Badge tone="warn">{words.noMembers}</Badge>;
  return (
    <span>
      {emails.slice(0, NAMES_SHOWN).map((email, at) => (
        <span key={email}>
          {at > 0 && ', '}
          <InertText text={email} />
        </span>
      ))}
      {emails.length > NAMES_SHOWN && words.andMore(emails.length - NAMES_SHOWN)}
    </span>
  );
}

function RemoveGroupDialog({ group, onClose }: { group: Group; onClose: () => void }) {
  const { projectId, path } = useProject();
  return (
    <ConfirmDialog
      title={words.removeTitle}
      confirmLabel={words.removeGroup}
      change={() => api.delete(path(`/groups/${encodeURIComponent(group.name)}`))}
      done={words.removed(group.name)}
      touched={['projects', projectId]}
      onClose={onClose}
    >
      <p>{words.removeConsequence(<InertText text={group.name} />)}</p>
    </ConfirmDialog>
  );
}
