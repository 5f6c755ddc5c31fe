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
import * as words from './security.words.ts';

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
    // React applies both changes in one render, so the first dialog returns the focus before the other dialog takes it.
    setAsksFor(null);
    setCodes(made.recovery_codes);
  };

  return (
    <Card
      title={words.app}
      lead={words.appLead}
      actions={
        totp.enabled ? (
          <Button onClick={() => setAsksFor('removal')}>{words.removeApp.button}</Button>
        ) : (
          <Button busy={begin.busy} onClick={begin.submit}>
            {words.setUpApp}
          </Button>
        )
      }
    >
      <ErrorPanel error={begin.error} />
      {totp.enabled ? (
        <>
          <div className="row">
            <Badge tone="good" icon="check">
              {words.appOn}
            </Badge>
            {totp.since && <span className="soft">{words.appSince(<DateTime at={totp.since} />)}</span>}
          </div>
          {codesLeft < FEW && (
            <Notice tone="warn" title={codesLeft === 0 ? words.noCodesLeft : words.fewCodesLeft}>
              {words.codesNeeded}
            </Notice>
          )}
          <div className="row apart">
            <span>{words.codesLeft(codesLeft)}</span>
            <Button size="s" onClick={() => setAsksFor('codes')}>
              {words.newCodes.button}
            </Button>
          </div>
        </>
      ) : (
        <p className="soft">{words.noApp}</p>
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
          title={words.removeApp.title}
          confirmLabel={words.removeApp.button}
          change={() => api.delete('/console/account/totp')}
          done={words.removeApp.done}
          touched={accountQuery.queryKey}
          onClose={() => setAsksFor(null)}
        >
          <p>{words.removeApp.lead}</p>
        </ConfirmDialog>
      )}
      {asksFor === 'codes' && (
        <ConfirmDialog
          title={words.newCodes.title}
          confirmLabel={words.newCodes.button}
          tone="primary"
          change={renewal}
          touched={accountQuery.queryKey}
          onClose={() => setAsksFor(null)}
        >
          <p>{words.newCodes.lead}</p>
        </ConfirmDialog>
      )}
    </Card>
  );
}
