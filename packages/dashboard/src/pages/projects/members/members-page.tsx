import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { reaches, useSignedIn } from '../../../api/session.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ErrorPanel, Notice } from '../../../ui/notice.tsx';
import { Table } from '../../../ui/table.tsx';
import { RelativeTime } from '../../../ui/time.tsx';
import { Waiting } from '../../../ui/waiting.tsx';
import { ProjectPage } from '../project-frame/project-page.tsx';
import { groupsQuery, membersQuery, useProject } from '../project-frame/queries.ts';
import type { Member } from '../project-frame/wire.ts';
import { ChangeRoleDialog } from './change-role-dialog.tsx';
import { InvitationsCard } from './invitations-card.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import * as words from './members.words.ts';
import { RemoveMemberDialog } from './remove-member-dialog.tsx';

/** The members of a project with their roles, and the open invitations. */
export default function MembersPage() {
  const { mayManage } = useProject();
  const [isInviting, setInviting] = useState(false);
  return (
    <ProjectPage
      title={words.title}
      lead={words.lead}
      actions={
        mayManage && (
          <Button tone="primary" icon="plus" onClick={() => setInviting(true)}>
            {words.invite}
          </Button>
        )
      }
    >
      <MembersCard />
      <InvitationsCard />
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
    </ProjectPage>
  );
}

function MembersCard() {
  const { projectId, role: ownRole, mayManage } = useProject();
  const { data, error, isPending, refetch } = useQuery(membersQuery(projectId));
  const { data: groups } = useQuery(groupsQuery(projectId));
  const { user } = useSignedIn();
  const [changing, setChanging] = useState<Member | null>(null);
  const [removing, setRemoving] = useState<Member | null>(null);

  const groupsOf = ({ email }: Member) =>
    (groups?.items ?? []).filter(({ members }) => members.includes(email)).map(({ name }) => name);
  // Nobody can change a role above their own. People leave a project in its settings.
  const buttonsOf = (member: Member) =>
    reaches(ownRole, member.role) && (
      <>
        <Button size="s" aria-label={words.changeRoleOf(member.email)} onClick={() => setChanging(member)}>
          {words.changeRole}
        </Button>
        {member.id !== user.id && (
          <Button
            size="s"
            tone="deny"
            aria-label={words.removeNamed(member.email)}
            onClick={() => setRemoving(member)}
          >
            {words.remove}
          </Button>
        )}
      </>
    );
  return (
    <>
      <ErrorPanel error={error} onRetry={refetch} />
      {isPending && <Waiting />}
      {data && (
        <Card flush>
          <Table
            caption={words.memberList}
            rows={data.items}
            columns={{
              [words.columns.member]: ({ id, email }) => (
                <>
                  <InertText text={email} /> {id === user.id && <Badge tone="info">{words.you}</Badge>}
                </>
              ),
              [words.columns.role]: ({ role }) => <span className="whole">{words.roles[role].label}</span>,
              [words.columns.groups]: (member) => <Names names={groupsOf(member)} />,
              [words.columns.since]: (member) => <RelativeTime at={member.created_at} />,
            }}
            actions={mayManage ? buttonsOf : undefined}
          />
        </Card>
      )}
      {data?.isCut && <Notice>{words.onlyNewest(data.items.length)}</Notice>}
      {changing && <ChangeRoleDialog member={changing} onClose={() => setChanging(null)} />}
      {removing && (
        <RemoveMemberDialog member={removing} groups={groupsOf(removing)} onClose={() => setRemoving(null)} />
      )}
    </>
  );
}

function Names({ names }: { names: readonly string[] }) {
  if (names.length === 0) return <span className="soft">{words.noGroups}</span>;
  return (
    <span>
      {names.map((name, at) => (
        <span key={name} className={name.length < 20 ? 'whole' : undefined}>
          <InertText text={name} />
          {at < names.length - 1 && ', '}
        </span>
      ))}
    </span>
  );
}
