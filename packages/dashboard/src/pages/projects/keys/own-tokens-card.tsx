import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../../api/client.ts';
import { type PageOf, reading } from '../../../api/reading.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDialog } from '../../../ui/form-dialog.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { Table } from '../../../ui/table.tsx';
import type { OwnToken } from '../project-frame/wire.ts';
import { Expiry, LastUsed, Named, Titled } from './key-table.tsx';
import * as words from './keys.words.ts';

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
      <h2>{words.ownTokens.title}</h2>
      <p className="soft small">
        {words.ownTokensLead(<code>permitry login</code>, <code>permitry keys create --kind user</code>)}
      </p>
      <Card flush>
        <Table
          caption={words.ownTokens.title}
          rows={tokens}
          columns={{
            [words.properties.token]: Named,
            [words.properties.rights]: ({ rights }) => [words.ownTokens.read, ...rights].join(', '),
            [words.properties.lastUsed]: LastUsed,
            [words.properties.expires]: (token) => <Expiry of={token} />,
          }}
          actions={(token) => (
            <Button
              size="s"
              tone="deny"
              aria-label={words.revokeTokenNamed(token.name)}
              onClick={() => setRevoking(token)}
            >
              {words.ownTokens.revoke}
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
      title={words.ownTokens.revokeTitle}
      confirmLabel={words.ownTokens.revokeToken}
      change={() => api.post(`/console/account/tokens/${token.id}/revoke`)}
      done={words.revokedToken(token.name)}
      touched={['own-tokens']}
      onClose={onClose}
    >
      <p>{words.revokeTokenConsequence(<Titled {...token} />)}</p>
    </ConfirmDialog>
  );
}
