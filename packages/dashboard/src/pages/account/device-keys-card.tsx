import { useState } from 'react';
import { accountQuery, type DeviceKey } from '../../api/account.ts';
import { api } from '../../api/client.ts';
import { InertText } from '../../inert-text/inert-text.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/form-dialog.tsx';
import { Hash } from '../../ui/hash.tsx';
import { AccountLine, LineButton, NameDialog, SinceAndLast } from './account-line.tsx';

type Open = { kind: 'rename' | 'remove'; deviceKey: DeviceKey } | null;

export function DeviceKeysCard({ deviceKeys }: { deviceKeys: readonly DeviceKey[] }) {
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const path = `/console/account/device-keys/${open?.deviceKey.id}`;
  return (
    <Card
      title="Device keys"
      lead="Prove at a terminal that it is you who decides: a key in a file, under a passphrase."
    >
      {deviceKeys.length === 0 ? (
        <p className="soft">
          You have none. <code>permitry device enroll {location.origin}</code> makes one on your machine, and
          shows a code, which you confirm here.
        </p>
      ) : (
        <ul className="list">
          {deviceKeys.map((deviceKey) => (
            <AccountLine
              key={deviceKey.id}
              icon="laptop"
              name={<InertText text={deviceKey.name} />}
              actions={
                <>
                  <LineButton
                    does="Rename"
                    of={deviceKey.name}
                    onClick={() => setOpen({ kind: 'rename', deviceKey })}
                  />
                  <LineButton
                    does="Remove"
                    of={deviceKey.name}
                    onClick={() => setOpen({ kind: 'remove', deviceKey })}
                  />
                </>
              }
            >
              <SinceAndLast
                since="Added"
                at={deviceKey.created_at}
                last="last used"
                lastAt={deviceKey.last_used_at}
                notYet="not used yet"
              />
              <div className="soft small">
                Fingerprint <Hash value={deviceKey.key_id} what={`the fingerprint of ${deviceKey.name}`} />
              </div>
            </AccountLine>
          ))}
        </ul>
      )}
      {open?.kind === 'rename' && (
        <NameDialog
          title="Rename the device key"
          inputName="device-key-name"
          first={open.deviceKey.name}
          save={(name) => api.patch(path, { name })}
          done="The device key has its new name."
          onClose={close}
        />
      )}
      {open?.kind === 'remove' && (
        <ConfirmDialog
          title="Remove this device key?"
          confirmLabel="Remove device key"
          change={() => api.delete(path)}
          done="The device key is removed."
          touched={accountQuery.queryKey}
          onClose={close}
        >
          <p>
            <strong>
              <InertText text={open.deviceKey.name} />
            </strong>{' '}
            proves nothing any more. What you approved with it stays valid. Delete its file as well, with{' '}
            <code>permitry device remove</code>.
          </p>
        </ConfirmDialog>
      )}
    </Card>
  );
}
