import { useState } from 'react';
import { type Passkey, useAccountRefresh } from '../../api/account.ts';
import { fieldError } from '../../api/api-error.ts';
import { api } from '../../api/client.ts';
import { addPasskey, canUsePasskeys, suggestPasskeyName } from '../../api/passkeys.ts';
import { exceptFields, fieldProblem, useSubmit } from '../../api/use-submit.ts';
import { InertText } from '../../inert-text/inert-text.tsx';
import { toast } from '../../ui/announce.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog, FormDialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { ErrorPanel, Notice } from '../../ui/notice.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { DateTime, RelativeTime } from '../../ui/time.tsx';

type Open = { kind: 'add' } | { kind: 'rename' | 'remove'; passkey: Passkey } | null;

export function PasskeysCard({ passkeys }: { passkeys: readonly Passkey[] }) {
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  return (
    <Card
      title="Passkeys"
      lead="Sign in, and approve what asks for it, with fingerprint, face or a security key."
      actions={
        canUsePasskeys() && (
          <Button icon="plus" onClick={() => setOpen({ kind: 'add' })}>
            Add a passkey
          </Button>
        )
      }
    >
      {!canUsePasskeys() && (
        <Notice tone="info">This browser has no passkeys. Add one with another browser or device.</Notice>
      )}
      {passkeys.length === 0 ? (
        <p className="soft">You have none yet. Requests of high risk may ask for one.</p>
      ) : (
        <ul className="list">
          {passkeys.map((passkey) => (
            <li key={passkey.id} className="account-line">
              <Icon name="passkey" size={20} />
              <div>
                <div className="row">
                  <strong>
                    <InertText text={passkey.name} />
                  </strong>
                  {passkey.backed_up && (
                    <Badge title="Kept by your password manager or platform, also for your other devices">
                      synced
                    </Badge>
                  )}
                </div>
                <div className="soft small">
                  Added <DateTime at={passkey.created_at} />,{' '}
                  {passkey.last_used_at ? (
                    <>
                      last used <RelativeTime at={passkey.last_used_at} />
                    </>
                  ) : (
                    'not used yet'
                  )}
                </div>
              </div>
              <div className="button-row">
                <Button size="s" tone="quiet" onClick={() => setOpen({ kind: 'rename', passkey })}>
                  Rename
                  <span className="unseen"> {passkey.name}</span>
                </Button>
                <Button size="s" tone="quiet" onClick={() => setOpen({ kind: 'remove', passkey })}>
                  Remove
                  <span className="unseen"> {passkey.name}</span>
                </Button>
              </div>
            </li>
          ))}
        </ul>
      )}
      {open?.kind === 'add' && <NameDialog taken={passkeys.map(({ name }) => name)} onClose={close} />}
      {open?.kind === 'rename' && <NameDialog passkey={open.passkey} taken={[]} onClose={close} />}
      {open?.kind === 'remove' && <RemoveDialog passkey={open.passkey} onClose={close} />}
    </Card>
  );
}

/** Adds a passkey, or gives the one that is handed in another name. */
function NameDialog({
  passkey,
  taken,
  onClose,
}: {
  passkey?: Passkey;
  taken: readonly string[];
  onClose: () => void;
}) {
  const [name, setName] = useState(() => passkey?.name ?? untaken(suggestPasskeyName(), taken));
  const refresh = useAccountRefresh();
  const { submit, busy, error } = useSubmit(async () => {
    if (name.trim() === '') throw fieldProblem('name', 'Give it a name.');
    if (passkey) await api.patch(`/console/account/passkeys/${passkey.id}`, { name: name.trim() });
    else await addPasskey(name.trim());
    toast(passkey ? 'The passkey has its new name.' : 'Your passkey is saved.');
    onClose();
    await refresh();
  });
  return (
    <FormDialog
      title={passkey ? 'Rename the passkey' : 'Add a passkey'}
      onClose={onClose}
      onSubmit={submit}
      submitLabel={passkey ? 'Save' : 'Continue'}
      busy={busy}
    >
      {!passkey && (
        <p className="soft">
          Your browser asks next where to keep it: this device, a phone, or a security key.
        </p>
      )}
      <ErrorPanel error={exceptFields(error, 'name')} />
      <TextField
        label="Name"
        hint="So that you recognise it in the list."
        name="passkey-name"
        autoComplete="off"
        value={name}
        error={fieldError(error, 'name')}
        onChange={(event) => setName(event.target.value)}
      />
    </FormDialog>
  );
}

function untaken(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name;
  for (let number = 2; ; number += 1) if (!taken.includes(`${name} ${number}`)) return `${name} ${number}`;
}

function RemoveDialog({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const refresh = useAccountRefresh();
  const { submit, busy, error } = useSubmit(async () => {
    await api.delete(`/console/account/passkeys/${passkey.id}`);
    toast('The passkey is removed.');
    onClose();
    await refresh();
  });
  return (
    <ConfirmDialog
      open
      title="Remove this passkey?"
      confirmLabel="Remove passkey"
      busy={busy}
      onConfirm={submit}
      onCancel={onClose}
    >
      <p>
        <strong>
          <InertText text={passkey.name} />
        </strong>{' '}
        signs you in no more. What you approved with it stays valid. Delete it on the device, too.
      </p>
      <ErrorPanel error={error} />
    </ConfirmDialog>
  );
}
