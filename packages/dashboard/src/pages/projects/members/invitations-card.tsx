import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { renew } from '../../../api/query-client.ts';
import { readingPages } from '../../../api/reading.ts';
import { reaches } from '../../../api/session.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDialog } from '../../../ui/form-dialog.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { Pager } from '../../../ui/pager.tsx';
import { Table } from '../../../ui/table.tsx';
import { DateTime } from '../../../ui/time.tsx';
import { useProject } from '../project-frame/queries.ts';
import type { Invitation, Invitations, SentInvitation } from '../project-frame/wire.ts';
import * as words from './members.words.ts';
import { Sent } from './sent-invitation.tsx';

/** Open invitations only. Accepted ones appear as members, and revoked ones do not appear. */
export function InvitationsCard() {
  const { projectId, role: ownRole, mayManage, consolePath } = useProject();
  const key = ['projects', projectId, 'invitations'];
  const path = consolePath('/invitations');
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    readingPages<Invitations>(key, path, { limit: 100 }),
  );
  const [revoking, setRevoking] = useState<Invitation | null>(null);
  const resend = useMutation({
    mutationFn: ({ id }: Invitation) => api.post<SentInvitation>(`${path}/${id}/resend`),
    onSuccess: () => renew(key),
  });

  const open = (data?.pages ?? [])
    .flatMap((page) => page.data)
    .filter(({ status }) => status === 'open' || status === 'expired');
  if (error) return <ErrorPanel error={error} />;
  if (open.length === 0 && !hasNextPage) return null;

  const isByMail = data?.pages[0]?.by_mail ?? false;
  const buttonsOf = (invitation: Invitation) =>
    reaches(ownRole, invitation.role) && (
      <>
        <Button
          size="s"
          busy={resend.isPending && resend.variables.id === invitation.id}
          aria-label={isByMail ? words.resendTo(invitation.email) : words.newLinkFor(invitation.email)}
          onClick={() => resend.mutate(invitation)}
        >
          {isByMail ? words.invitations.resend : words.invitations.newLink}
        </Button>
        <Button
          size="s"
          tone="deny"
          aria-label={words.revokeInvitationOf(invitation.email)}
          onClick={() => setRevoking(invitation)}
        >
          {words.invitations.revoke}
        </Button>
      </>
    );
  return (
    <section className="stack tight">
      <h2>{words.invitations.title}</h2>
      <ErrorPanel error={resend.error} />
      <Card flush>
        <Table
          caption={words.invitations.list}
          rows={open}
          columns={{
            [words.invitations.email]: ({ email }) => <InertText text={email} />,
            [words.invitations.role]: ({ role }) => <span className="whole">{words.roles[role].label}</span>,
            [words.invitations.by]: ({ invited_by }) => <InertText text={invited_by} />,
            [words.invitations.expires]: ({ status, expires_at }) =>
              status === 'open' ? <DateTime at={expires_at} /> : <Badge>{words.invitations.expired}</Badge>,
          }}
          actions={mayManage ? buttonsOf : undefined}
        />
      </Card>
      <Pager
        hasMore={hasNextPage}
        isLoading={isFetchingNextPage}
        onMore={fetchNextPage}
        shown={open.length}
      />
      {resend.data && <Sent invitation={resend.data} onClose={() => resend.reset()} />}
      {revoking && (
        <ConfirmDialog
          title={words.revokeTitle}
          confirmLabel={words.revokeInvitation}
          change={() => api.post(`${path}/${revoking.id}/revoke`)}
          done={words.revoked}
          touched={key}
          onClose={() => setRevoking(null)}
        >
          <p>{words.revokeConsequence(<InertText text={revoking.email} />)}</p>
        </ConfirmDialog>
      )}
    </section>
  );
}
