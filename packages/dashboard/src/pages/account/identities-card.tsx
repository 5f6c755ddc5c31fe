import { useState } from 'react';
import { type Account, accountQuery } from '../../api/account.ts';
import { api } from '../../api/client.ts';
import { InertText } from '../../inert-text/inert-text.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/form-dialog.tsx';
import { AccountLine, LineButton } from './account-line.tsx';
import * as words from './security.words.ts';

type Identity = Account['identities'][number];

/** Accounts at identity providers that sign the person in. Renders nothing when there are none. */
export function IdentitiesCard({ identities }: { identities: readonly Identity[] }) {
  const [removing, setRemoving] = useState<Identity | null>(null);
  if (identities.length === 0) return null;
  return (
    <Card title={words.identities} lead={words.identitiesLead}>
      <ul className="list">
        {identities.map((identity) => (
          <AccountLine
            key={identity.id}
            icon="account"
            name={<InertText text={identity.provider} />}
            actions={
              <LineButton
                does={words.disconnect}
                of={identity.provider}
                onClick={() => setRemoving(identity)}
              />
            }
          >
            <div className="soft small">
              <InertText text={identity.display} />
            </div>
          </AccountLine>
        ))}
      </ul>
      {removing && (
        <ConfirmDialog
          title={words.disconnectIdentity.title}
          confirmLabel={words.disconnectIdentity.confirm}
          change={() => api.delete(`/console/account/identities/${removing.id}`)}
          done={words.disconnectIdentity.done}
          touched={accountQuery.queryKey}
          onClose={() => setRemoving(null)}
        >
          <p>{words.disconnectConsequence(<InertText text={removing.provider} />)}</p>
        </ConfirmDialog>
      )}
    </Card>
  );
}
