import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../../api/client.ts';
import { type PageOf, reading } from '../../../api/reading.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDialog } from '../../../ui/form-dialog.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { Table } from '../../../ui/table.tsx';
import type { OwnToken } from '../project-frame/wire.ts';
import { Ends, LastUsed, Named } from './key-table.tsx';

const tokensQuery = reading<PageOf<OwnToken>>(['own-tokens'], '/console/account/tokens', { limit: 50 });

/** Tokens of the reader's own programs, valid in all of their projects. The command line creates them. */
export function OwnTokensCard({ whenNone = null }: { whenNone?: ReactNode }) {
  const { data, error } = useQuery(tokensQuery);
  const [revoking, setRevoking] = useState<OwnToken | null>(null);
  const tokens = data?.data.filter(({ revoked_at }) => revoked_at === null) ?? [];
  if (error) return <ErrorPanel error={error} />;
  if (data && tokens.length === 0) return whenNone;
  if (!data) return null;
  return (
    <section className="stack tight">
      <h2>Your own tokens</h2>
      <p className="soft small">
        Programs that act as you, in all of your projects. Made with <code>permitry login</code>, or by the
        operator with <code>permitry keys create --kind user</code>.
      </p>
      <Card flush>
        <Table
          caption="Your tokens"
          rows={tokens}
          columns={{
            Token: Named,
            May: ({ rights }) => ['read', ...rights].join(', '),
            'Last used': LastUsed,
            Expires: (token) => <Ends ends={token} />,
          }}
          actions={(token) => (
            <Button
              size="s"
              tone="deny"
              aria-label={`Revoke the token ${token.name}`}
              onClick={() => setRevoking(token)}
            >
              Revoke
            </Button>
          )}
        />
      </Card>
      {revoking && <RevokeTokenDialog token={revoking} onClose={() => setRevoking(null)} />}
    </section>
  );
}

function RevokeTokenDialog({ token, onClose }: { token: OwnToken; onClose: () => void }) {
  return (
    <ConfirmDialog
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
    </ConfirmDialog>
  );
}
