import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { accountQuery } from '../api/account.ts';
import { fieldError, isRefusal } from '../api/api-error.ts';
import { api } from '../api/client.ts';
import { canUsePasskeys, confirmWithPasskey } from '../api/passkeys.ts';
import { exceptFields, fieldProblem, useSubmit } from '../api/use-submit.ts';
import { Button, LinkButton } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorPanel, Notice } from '../ui/notice.tsx';
import { PasswordField } from '../ui/text-field.tsx';
import type { Asked } from './confirm-presence.tsx';

/** Offers the methods that both the gate accepts and the person has. */
export default function PresenceDialog({ methods, answer }: Asked) {
  const account = useQuery(accountQuery);
  const [password, setPassword] = useState('');
  const byPassword = useSubmit(async () => {
    if (password === '') throw fieldProblem('password', 'Type your password.');
    byPasskey.setError(null);
    await api.post('/console/session/confirm', { password });
    answer(true);
  });
  const byPasskey = useSubmit(async () => {
    byPassword.setError(null);
    await confirmWithPasskey();
    answer(true);
  });

  const takesPassword = methods.includes('password') && (account.data?.has_password ?? true);
  const takesPasskey =
    methods.includes('passkey') && canUsePasskeys() && (account.data?.passkeys.length ?? 0) > 0;
  const isWrong = isRefusal(byPassword.error, 'invalid_proof');
  const error = isWrong ? null : exceptFields(byPassword.error ?? byPasskey.error, 'password');
  return (
    <Dialog
      open
      title="Confirm that it is you"
      onClose={() => answer(false)}
      onSubmit={takesPassword ? byPassword.submit : byPasskey.submit}
      actions={
        <>
          {takesPasskey && (
            <Button
              tone={takesPassword ? 'secondary' : 'primary'}
              icon="passkey"
              busy={byPasskey.busy}
              onClick={byPasskey.submit}
            >
              Use a passkey
            </Button>
          )}
          {takesPassword && (
            <Button type="submit" tone="primary" busy={byPassword.busy}>
              Confirm
            </Button>
          )}
        </>
      }
    >
      <p className="soft">This change outlasts your session. Your answer holds for 15 minutes.</p>
      <ErrorPanel error={error ?? account.error} />
      {takesPassword && (
        <PasswordField
          label="Your password"
          name="password"
          autoComplete="current-password"
          value={password}
          error={isWrong ? 'This is not your password.' : fieldError(byPassword.error, 'password')}
          onChange={(event) => setPassword(event.target.value)}
        />
      )}
      {account.data && !takesPassword && !takesPasskey && (
        <Notice tone="info" title="You have neither a password nor a passkey here">
          <p>
            Sign out and in again at your provider: for 15 minutes that shows it, too. Within these you can
            set a password, which is asked for then, also where signing in is not enough.
          </p>
          <LinkButton to="/account/security" onClick={() => answer(false)}>
            To your account’s security
          </LinkButton>
        </Notice>
      )}
    </Dialog>
  );
}
