import { useState } from 'react';
import { accountQuery, type Passkey } from '../../api/account.ts';
import { api } from '../../api/client.ts';
import { addPasskey, canUsePasskeys, suggestPasskeyName } from '../../api/passkeys.ts';
import { InertText } from '../../inert-text/inert-text.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/form-dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { AccountLine, LineButton, NameDialog, SinceAndLast } from './account-line.tsx';

type Open = { kind: 'add' } | { kind: 'rename' | 'remove'; passkey: Passkey } | null;

const pathOf = ({ id }: Passkey) => `/console/account/passkeys/${id}`;

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
            <AccountLine
              key={passkey.id}
              icon="passkey"
              name={<InertText text={passkey.name} />}
              badge={
                passkey.backed_up && (
                  <Badge title="Kept by your password manager or platform, also for your other devices">
                    synced
                  </Badge>
                )
              }
              actions={
                <>
                  <LineButton
                    does="Rename"
                    of={passkey.name}
                    onClick={() => setOpen({ kind: 'rename', passkey })}
                  />
                  <LineButton
                    does="Remove"
                    of={passkey.name}
                    onClick={() => setOpen({ kind: 'remove', passkey })}
                  />
                </>
              }
            >
              <SinceAndLast
                since="Added"
                at={passkey.created_at}
                last="last used"
                lastAt={passkey.last_used_at}
                notYet="not used yet"
              />
            </AccountLine>
          ))}
        </ul>
      )}
      {open?.kind === 'add' && (
        <NameDialog
          title="Add a passkey"
          submitLabel="Continue"
          inputName="passkey-name"
          first={() => untaken(suggestPasskeyName(), passkeys)}
          save={addPasskey}
          done="Your passkey is saved."
          onClose={close}
        >
          <p className="soft">
            Your browser asks next where to keep it: this device, a phone, or a security key.
          </p>
        </NameDialog>
      )}
      {open?.kind === 'rename' && (
        <NameDialog
          title="Rename the passkey"
          inputName="passkey-name"
          first={open.passkey.name}
          save={(name) => api.patch(pathOf(open.passkey), { name })}
          done="The passkey has its new name."
          onClose={close}
        />
      )}
      {open?.kind === 'remove' && (
        <ConfirmDialog
          title="Remove this passkey?"
          confirmLabel="Remove passkey"
          change={() => api.delete(pathOf(open.passkey))}
          done="The passkey is removed."
          touched={accountQuery.queryKey}
          onClose={close}
        >
          <p>
            <strong>
              <InertText text={open.passkey.name} />
            </strong>{' '}
            signs you in no more. What you approved with it stays valid. Delete it on the device, too.
          </p>
        </ConfirmDialog>
      )}
    </Card>
  );
}

function untaken(name: string, passkeys: readonly Passkey[]): string {
  const isTaken = (wanted: string) => passkeys.some((passkey) => passkey.name === wanted);
  if (!isTaken(name)) return name;
  for (let number = 2; ; number += 1) if (!isTaken(`${name} ${number}`)) return `${name} ${number}`;
}
