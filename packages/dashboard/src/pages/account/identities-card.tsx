import { useState } from 'react';
import { type Account, useAccountRefresh } from '../../api/account.ts';
import { api } from '../../api/client.ts';
import { useSubmit } from '../../api/use-submit.ts';
import { InertText } from '../../inert-text/inert-text.tsx';
import { toast } from '../../ui/announce.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { ErrorPanel } from '../../ui/notice.tsx';

type Identity = Account['identities'][number];

/** Accounts at other providers that sign one in. There is nothing to show where there are none. */
export function IdentitiesCard({ identities }: { identities: readonly Identity[] }) {
  const [removing, setRemoving] = useState<Identity | null>(null);
  const refresh = useAccountRefresh();
  const { submit, busy, error } = useSubmit(async () => {
    if (!removing) return;
    await api.delete(`/console/account/identities/${removing.id}`);
    setRemoving(null);
    toast('The identity is disconnected.');
    await refresh();
  });
  if (identities.length === 0) return null;
  return (
    <Card title="Connected identities" lead="Accounts elsewhere that sign you in here.">
      <ul className="list">
        {identities.map((identity) => (
          <li key={identity.id} className="account-line">
            <Icon name="account" size={20} />
            <div>
              <strong>
                <InertText text={identity.provider} />
              </strong>
              <div className="soft small">
                <InertText text={identity.display} />
              </div>
            </div>
            <div className="button-row">
              <Button size="s" tone="quiet" onClick={() => setRemoving(identity)}>
                Disconnect
                <span className="unseen"> {identity.provider}</span>
              </Button>
            </div>
          </li>
        ))}
      </ul>
      <ConfirmDialog
        open={removing !== null}
        title="Disconnect this identity?"
        confirmLabel="Disconnect"
        busy={busy}
        onConfirm={submit}
        onCancel={() => setRemoving(null)}
      >
        <p>
          <InertText text={removing?.provider ?? ''} /> signs you in here no more. Your next sign-in there
          connects it again.
        </p>
        <ErrorPanel error={error} />
      </ConfirmDialog>
    </Card>
  );
}
