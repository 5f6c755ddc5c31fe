import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../../api/client.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { type Column, Table } from '../../../ui/table.tsx';
import { RelativeTime } from '../../../ui/time.tsx';
import { ConfirmChange } from '../project-frame/confirm-change.tsx';
import type { OwnToken, PageOf } from '../project-frame/wire.ts';
import { Ends } from './key-table.tsx';

const MOST_SHOWN = 50;

/** Tokens of one's own programs, good in every project one belongs to. They are made at the command line. */
export function OwnTokensCard({ whenNone = null }: { whenNone?: ReactNode }) {
  const { data, error } = useQuery({
    queryKey: ['own-tokens'],
    queryFn: ({ signal }) =>
      api.get<PageOf<OwnToken>>('/console/account/tokens', { query: { limit: MOST_SHOWN }, signal }),
  });
  const [revoking, setRevoking] = useState<OwnToken | null>(null);
  const tokens = data?.data.filter(({ revoked_at }) => revoked_at === null) ?? [];
  if (error) return <ErrorPanel error={error} />;
  if (data && tokens.length === 0) return whenNone;
  if (!data) return null;
  const columns: Column<OwnToken>[] = [
    {
      key: 'name',
      header: 'Token',
      primary: true,
      cell: ({ name, hint }) => (
        <>
          <InertText text={name} /> <code className="soft whole">…{hint}</code>
        </>
      ),
    },
    { key: 'rights', header: 'May', cell: ({ rights }) => ['read', ...rights].join(', ') },
    {
      key: 'used',
      header: 'Last used',
      cell: ({ last_used_at: at }) => (at ? <RelativeTime at={at} /> : <span className="soft">never</span>),
    },
    { key: 'expires', header: 'Expires', cell: (token) => <Ends ends={token} /> },
    {
      key: 'actions',
      header: 'What can be done',
      actions: true,
      cell: (token) => (
        <Button
          size="s"
          tone="deny"
          aria-label={`Revoke the token ${token.name}`}
          onClick={() => setRevoking(token)}
        >
          Revoke
        </Button>
      ),
    },
  ];
  return (
    <section className="stack tight">
      <h2>Your own tokens</h2>
      <p className="soft small">
        Programs that act as you, in all of your projects. Made with <code>permitry login</code>, or by the
        operator with <code>permitry keys create --kind user</code>.
      </p>
      <Card flush>
        <Table caption="Your tokens" columns={columns} rows={tokens} rowKey={({ id }) => id} />
      </Card>
      {revoking && <RevokeTokenDialog token={revoking} onClose={() => setRevoking(null)} />}
    </section>
  );
}

function RevokeTokenDialog({ token, onClose }: { token: OwnToken; onClose: () => void }) {
  return (
    <ConfirmChange
      title="Revoke this token?"
      confirmLabel="Revoke the token"
      change={() => api.post(`/console/account/tokens/${token.id}/revoke`)}
      done={`Revoked the token ${token.name}.`}
      touched={['own-tokens']}
      onClose={onClose}
    >
      <p>
        <strong>
          <InertText text={token.name} />
        </strong>{' '}
        <code>…{token.hint}</code> is refused from the next request on, for good.
      </p>
    </ConfirmChange>
  );
}
