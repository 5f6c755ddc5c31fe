import { useState } from 'react';
import { type Account, accountQuery } from '../../api/account.ts';
import { api } from '../../api/client.ts';
import { InertText } from '../../inert-text/inert-text.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/form-dialog.tsx';
import { AccountLine, LineButton } from './account-line.tsx';

type Identity = Account['identities'][number];

/** Accounts at identity providers that sign the person in. Renders nothing when there are none. */
export function IdentitiesCard({ identities }: { identities: readonly Identity[] }) {
  const [removing, setRemoving] = useState<Identity | null>(null);
  if (identities.length === 0) return null;
  return (
    <Card title="Connected identities" lead="Accounts elsewhere that sign you in here.">
      <ul className="list">
        {identities.map((identity) => (
          <AccountLine
            key={identity.id}
            icon="account"
            name={<InertText text={identity.provider} />}
            actions={
              <LineButton does="Disconnect" of={identity.provider} onClick={() => setRemoving(identity)} />
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
          title="Disconnect this identity?"
          confirmLabel="Disconnect"
          change={() => api.delete(`/console/account/identities/${removing.id}`)}
          done="The identity is disconnected."
          touched={accountQuery.queryKey}
          onClose={() => setRemoving(null)}
        >
          <p>
            <InertText text={removing.provider} /> signs you in here no more. Your next sign-in there connects
            it again.
          </p>
        </ConfirmDialog>
      )}
    </Card>
  );
}
