import { useState } from 'react';
import { type Account, accountQuery, refreshAccount } from '../../api/account.ts';
import { api } from '../../api/client.ts';
import { useSubmit } from '../../api/use-submit.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/form-dialog.tsx';
import { ErrorPanel, Notice } from '../../ui/notice.tsx';
import { DateTime } from '../../ui/time.tsx';
import { EnrolDialog, type TotpSecret } from './enrol-dialog.tsx';
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx';

/** Below this number of codes, suggest creating new ones. */
const FEW = 3;

export function SecondFactorCard({ totp, codesLeft }: { totp: Account['totp']; codesLeft: number }) {
  const [secret, setSecret] = useState<TotpSecret | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const [asksFor, setAsksFor] = useState<'removal' | 'codes' | null>(null);

  const begin = useSubmit(async () => {
    setSecret(await api.post<TotpSecret>('/console/account/totp'));
  });
  const renewal = async () => {
    const made = await api.post<{ recovery_codes: string[] }>('/console/account/recovery-codes');
    // Both at once: the first dialog returns the focus before the other takes it.
    setAsksFor(null);
    setCodes(made.recovery_codes);
  };

  return (
    <Card
      title="Authenticator app"
      lead="A second factor for sign-in with your password: six digits that change every half minute."
      actions={
        totp.enabled ? (
          <Button onClick={() => setAsksFor('removal')}>Remove</Button>
        ) : (
          <Button busy={begin.busy} onClick={begin.submit}>
            Set up
          </Button>
        )
      }
    >
      <ErrorPanel error={begin.error} />
      {totp.enabled ? (
        <>
          <div className="row">
            <Badge tone="good" icon="check">
              on
            </Badge>
            {totp.since && (
              <span className="soft">
                since <DateTime at={totp.since} />
              </span>
            )}
          </div>
          {codesLeft < FEW && (
            <Notice
              tone="warn"
              title={codesLeft === 0 ? 'No recovery codes left' : 'Few recovery codes left'}
            >
              Without them, a lost phone locks you out. Make new ones.
            </Notice>
          )}
          <div className="row apart">
            <span>{codesLeft} of 10 recovery codes left</span>
            <Button size="s" onClick={() => setAsksFor('codes')}>
              Make new codes
            </Button>
          </div>
        </>
      ) : (
        <p className="soft">Not set up. A passkey needs none: it is two factors by itself.</p>
      )}

      {secret && (
        <EnrolDialog
          secret={secret}
          onClose={() => setSecret(null)}
          onEnrolled={async (made) => {
            setSecret(null);
            setCodes(made);
            await refreshAccount();
          }}
        />
      )}
      {codes && <RecoveryCodesDialog codes={codes} onClose={() => setCodes(null)} />}
      {asksFor === 'removal' && (
        <ConfirmDialog
          title="Remove the authenticator app?"
          confirmLabel="Remove"
          change={() => api.delete('/console/account/totp')}
          done="The authenticator app is asked for no more."
          touched={accountQuery.queryKey}
          onClose={() => setAsksFor(null)}
        >
          <p>Your password alone then signs you in. The recovery codes go with it.</p>
        </ConfirmDialog>
      )}
      {asksFor === 'codes' && (
        <ConfirmDialog
          title="Make new recovery codes?"
          confirmLabel="Make new codes"
          tone="primary"
          change={renewal}
          touched={accountQuery.queryKey}
          onClose={() => setAsksFor(null)}
        >
          <p>The codes you kept so far stop working.</p>
        </ConfirmDialog>
      )}
    </Card>
  );
}
