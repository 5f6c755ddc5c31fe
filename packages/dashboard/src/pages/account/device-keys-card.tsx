import { useState } from 'react';
import { accountQuery, type DeviceKey } from '../../api/account.ts';
import { api } from '../../api/client.ts';
import { InertText } from '../../inert-text/inert-text.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/form-dialog.tsx';
import { Hash } from '../../ui/hash.tsx';
import * as shared from './account.words.ts';
import { AccountLine, AddedAndLast, LineButton, NameDialog } from './account-line.tsx';
import * as words from './security.words.ts';

type Open = { kind: 'rename' | 'remove'; deviceKey: DeviceKey } | null;

export function DeviceKeysCard({ deviceKeys }: { deviceKeys: readonly DeviceKey[] }) {
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const path = `/console/account/device-keys/${open?.deviceKey.id}`;
  return (
    <Card title={words.deviceKeys} lead={words.deviceKeysLead}>
      {deviceKeys.length === 0 ? (
        <p className="soft">{words.noDeviceKeys(<code>permitry device enroll {location.origin}</code>)}</p>
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
                    does={shared.rename}
                    of={deviceKey.name}
                    onClick={() => setOpen({ kind: 'rename', deviceKey })}
                  />
                  <LineButton
                    does={shared.remove}
                    of={deviceKey.name}
                    onClick={() => setOpen({ kind: 'remove', deviceKey })}
                  />
                </>
              }
            >
              <AddedAndLast at={deviceKey.created_at} lastAt={deviceKey.last_used_at} />
              <div className="soft small">
                {words.fingerprint}{' '}
                <Hash value={deviceKey.key_id} what={words.theFingerprintOf(deviceKey.name)} />
              </div>
            </AccountLine>
          ))}
        </ul>
      )}
      {open?.kind === 'rename' && (
        <NameDialog
          title={words.renameDeviceKey}
          inputName="device-key-name"
          first={open.deviceKey.name}
          save={(name) => api.patch(path, { name })}
          done={words.deviceKeyRenamed}
          onClose={close}
        />
      )}
      {open?.kind === 'remove' && (
        <ConfirmDialog
          title={words.removeDeviceKey.title}
          confirmLabel={words.removeDeviceKey.confirm}
          change={() => api.delete(path)}
          done={words.removeDeviceKey.done}
          touched={accountQuery.queryKey}
          onClose={close}
        >
          <p>
            {words.removeDeviceKeyConsequence(
              <strong>
                <InertText text={open.deviceKey.name} />
              </strong>,
              <code>permitry device remove</code>,
            )}
          </p>
        </ConfirmDialog>
      )}
    </Card>
  );
}
