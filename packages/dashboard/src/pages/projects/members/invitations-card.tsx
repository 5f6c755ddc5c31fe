import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { reaches, useRole } from '../../../api/session.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { toast } from '../../../ui/announce.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { Pager } from '../../../ui/pager.tsx';
import { type Column, Table } from '../../../ui/table.tsx';
import { DateTime } from '../../../ui/time.tsx';
import type { Invitation, Invitations, SentInvitation } from '../project-frame/wire.ts';
import { Sent } from './sent-invitation.tsx';

/** Those who are invited and have not come yet; who came is a member, and who was uninvited is nobody's concern. */
export function InvitationsCard({ projectId }: { projectId: string }) {
  const path = `/console/projects/${encodeURIComponent(projectId)}/invitations`;
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['projects', projectId, 'invitations'],
    queryFn: ({ pageParam, signal }) =>
      api.get<Invitations>(path, { query: { limit: 100, cursor: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  });
  const { role: ownRole, isAtLeast } = useRole(projectId);
  const [revoking, setRevoking] = useState<Invitation | null>(null);
  const queryClient = useQueryClient();
  const renew = () => queryClient.invalidateQueries({ queryKey: ['projects', projectId, 'invitations'] });
  const resend = useMutation({
    mutationFn: ({ id }: Invitation) => api.post<SentInvitation>(`${path}/${id}/resend`),
    onSuccess: renew,
  });
  const revoke = useMutation({
    mutationFn: ({ id }: Invitation) => api.post(`${path}/${id}/revoke`),
    onSuccess: async () => {
      setRevoking(null);
      toast('The link leads nowhere any more.');
      await renew();
    },
  });

  const open = (data?.pages ?? [])
    .flatMap((page) => page.data)
    .filter(({ status }) => status === 'open' || status === 'expired');
  if (error) return <ErrorPanel error={error} />;
  if (open.length === 0 && !hasNextPage) return null;

  const isByMail = data?.pages[0]?.by_mail ?? false;
  const columns: Column<Invitation>[] = [
    { key: 'email', header: 'Invited', primary: true, cell: ({ email }) => <InertText text={email} /> },
    { key: 'role', header: 'Role', cell: ({ role }) => <span className="whole">{role}</span> },
    { key: 'by', header: 'By', cell: ({ invited_by }) => <InertText text={invited_by} /> },
    {
      key: 'until',
      header: 'Link works',
      cell: ({ status, expires_at }) =>
        status === 'open' ? (
          <span>
            until <DateTime at={expires_at} />
          </span>
        ) : (
          <Badge>expired</Badge>
        ),
    },
  ];
  if (isAtLeast('admin')) {
    columns.push({
      key: 'actions',
      header: 'What can be done',
      actions: true,
      cell: (invitation) =>
        reaches(ownRole, invitation.role) && (
          <>
            <Button
              size="s"
              busy={resend.isPending && resend.variables.id === invitation.id}
              aria-label={
                isByMail
                  ? `Send the invitation of ${invitation.email} again`
                  : `Make a new link for ${invitation.email}`
              }
              onClick={() => resend.mutate(invitation)}
            >
              {isByMail ? 'Send again' : 'New link'}
            </Button>
            <Button
              size="s"
              tone="deny"
              aria-label={`Take back the invitation of ${invitation.email}`}
              onClick={() => setRevoking(invitation)}
            >
              Take back
            </Button>
          </>
        ),
    });
  }
  return (
    <section className="stack tight">
      <h2>Invitations</h2>
      <ErrorPanel error={resend.error} />
      <Card flush>
        <Table caption="Open invitations" columns={columns} rows={open} rowKey={({ id }) => id} />
      </Card>
      <Pager
        hasMore={hasNextPage}
        isLoading={isFetchingNextPage}
        onMore={fetchNextPage}
        shown={open.length}
      />
      {resend.data && <Sent invitation={resend.data} onClose={() => resend.reset()} />}
      <ConfirmDialog
        open={revoking !== null}
        title="Take this invitation back?"
        confirmLabel="Take it back"
        busy={revoke.isPending}
        onConfirm={() => revoking && revoke.mutate(revoking)}
        onCancel={() => {
          revoke.reset();
          setRevoking(null);
        }}
      >
        <ErrorPanel error={revoke.error} />
        <p>
          The link that <InertText text={revoking?.email ?? ''} /> has leads nowhere from then on.
        </p>
      </ConfirmDialog>
    </section>
  );
}
