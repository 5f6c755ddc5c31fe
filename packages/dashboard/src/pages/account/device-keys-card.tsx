import { useState } from 'react';
import { type DeviceKey, useAccountRefresh } from '../../api/account.ts';
import { fieldError } from '../../api/api-error.ts';
import { api } from '../../api/client.ts';
import { exceptFields, fieldProblem, useSubmit } from '../../api/use-submit.ts';
import { InertText } from '../../inert-text/inert-text.tsx';
import { toast } from '../../ui/announce.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog, FormDialog } from '../../ui/dialog.tsx';
import { Hash } from '../../ui/hash.tsx';
import { Icon } from '../../ui/icon.tsx';
import { ErrorPanel } from '../../ui/notice.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { DateTime, RelativeTime } from '../../ui/time.tsx';

type Open = { kind: 'rename' | 'remove'; deviceKey: DeviceKey } | null;

export function DeviceKeysCard({ deviceKeys }: { deviceKeys: readonly DeviceKey[] }) {
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
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
            <li key={deviceKey.id} className="account-line">
              <Icon name="laptop" size={20} />
              <div>
                <strong>
                  <InertText text={deviceKey.name} />
                </strong>
                <div className="soft small">
                  Added <DateTime at={deviceKey.created_at} />,{' '}
                  {deviceKey.last_used_at ? (
                    <>
                      last used <RelativeTime at={deviceKey.last_used_at} />
                    </>
                  ) : (
                    'not used yet'
                  )}
                </div>
                <div className="soft small">
                  Fingerprint <Hash value={deviceKey.key_id} what={`the fingerprint of ${deviceKey.name}`} />
                </div>
              </div>
              <div className="button-row">
                <Button size="s" tone="quiet" onClick={() => setOpen({ kind: 'rename', deviceKey })}>
                  Rename
                  <span className="unseen"> {deviceKey.name}</span>
                </Button>
                <Button size="s" tone="quiet" onClick={() => setOpen({ kind: 'remove', deviceKey })}>
                  Remove
                  <span className="unseen"> {deviceKey.name}</span>
                </Button>
              </div>
            </li>
          ))}
        </ul>
      )}
      {open?.kind === 'rename' && <RenameDialog deviceKey={open.deviceKey} onClose={close} />}
      {open?.kind === 'remove' && <RemoveDialog deviceKey={open.deviceKey} onClose={close} />}
    </Card>
  );
}

function RenameDialog({ deviceKey, onClose }: { deviceKey: DeviceKey; onClose: () => void }) {
  const [name, setName] = useState(deviceKey.name);
  const refresh = useAccountRefresh();
  const { submit, busy, error } = useSubmit(async () => {
    if (name.trim() === '') throw fieldProblem('name', 'Give it a name.');
    await api.patch(`/console/account/device-keys/${deviceKey.id}`, { name: name.trim() });
    toast('The device key has its new name.');
    onClose();
    await refresh();
  });
  return (
    <FormDialog
      title="Rename the device key"
      onClose={onClose}
      onSubmit={submit}
      submitLabel="Save"
      busy={busy}
    >
      <ErrorPanel error={exceptFields(error, 'name')} />
      <TextField
        label="Name"
        hint="So that you recognise it in the list."
        name="device-key-name"
        autoComplete="off"
        value={name}
        error={fieldError(error, 'name')}
        onChange={(event) => setName(event.target.value)}
      />
    </FormDialog>
  );
}

function RemoveDialog({ deviceKey, onClose }: { deviceKey: DeviceKey; onClose: () => void }) {
  const refresh = useAccountRefresh();
  const { submit, busy, error } = useSubmit(async () => {
    await api.delete(`/console/account/device-keys/${deviceKey.id}`);
    toast('The device key is removed.');
    onClose();
    await refresh();
  });
  return (
    <ConfirmDialog
      open
      title="Remove this device key?"
      confirmLabel="Remove device key"
      busy={busy}
      onConfirm={submit}
      onCancel={onClose}
    >
      <p>
        <strong>
          <InertText text={deviceKey.name} />
        </strong>{' '}
        proves nothing any more. What you approved with it stays valid. Delete its file as well, with{' '}
        <code>permitry device remove</code>.
      </p>
      <ErrorPanel error={error} />
    </ConfirmDialog>
  );
}
