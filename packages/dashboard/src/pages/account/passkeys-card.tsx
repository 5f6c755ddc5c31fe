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
import * as shared from './account.words.ts';
import { AccountLine, AddedAndLast, LineButton, NameDialog } from './account-line.tsx';
import * as words from './security.words.ts';

type Open = { kind: 'add' } | { kind: 'rename' | 'remove'; passkey: Passkey } | null;

const pathOf = ({ id }: Passkey) => `/console/account/passkeys/${id}`;

export function PasskeysCard({ passkeys }: { passkeys: readonly Passkey[] }) {
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  return (
    <Card
      title={words.passkeys}
      lead={words.passkeysLead}
      actions={
        canUsePasskeys() && (
          <Button icon="plus" onClick={() => setOpen({ kind: 'add' })}>
            {words.addPasskey}
          </Button>
        )
      }
    >
      {!canUsePasskeys() && <Notice tone="info">{words.passkeysUnsupported}</Notice>}
      {passkeys.length === 0 ? (
        <p className="soft">{words.noPasskeys}</p>
      ) : (
        <ul className="list">
          {passkeys.map((passkey) => (
            <AccountLine
              key={passkey.id}
              icon="passkey"
              name={<InertText text={passkey.name} />}
              badge={passkey.backed_up && <Badge title={words.syncedMeans}>{words.synced}</Badge>}
              actions={
                <>
                  <LineButton
                    does={shared.rename}
                    of={passkey.name}
                    onClick={() => setOpen({ kind: 'rename', passkey })}
                  />
                  <LineButton
                    does={shared.remove}
                    of={passkey.name}
                    onClick={() => setOpen({ kind: 'remove', passkey })}
                  />
                </>
              }
            >
              <AddedAndLast at={passkey.created_at} lastAt={passkey.last_used_at} />
            </AccountLine>
          ))}
        </ul>
      )}
      {open?.kind === 'add' && (
        <NameDialog
          title={words.addPasskey}
          submitLabel={words.continueAdding}
          inputName="passkey-name"
          first={() => untaken(suggestPasskeyName(), passkeys)}
          save={addPasskey}
          done={words.passkeyAdded}
          onClose={close}
        >
          <p className="soft">{words.choosePlace}</p>
        </NameDialog>
      )}
      {open?.kind === 'rename' && (
        <NameDialog
          title={words.renamePasskey}
          inputName="passkey-name"
          first={open.passkey.name}
          save={(name) => api.patch(pathOf(open.passkey), { name })}
          done={words.passkeyRenamed}
          onClose={close}
        />
      )}
      {open?.kind === 'remove' && (
        <ConfirmDialog
          title={words.removePasskey.title}
          confirmLabel={words.removePasskey.confirm}
          change={() => api.delete(pathOf(open.passkey))}
          done={words.removePasskey.done}
          touched={accountQuery.queryKey}
          onClose={close}
        >
          <p>
            {words.removePasskeyConsequence(
              <strong>
                <InertText text={open.passkey.name} />
              </strong>,
            )}
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
