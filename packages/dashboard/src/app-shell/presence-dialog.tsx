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
import * as words from './presence-dialog.words.ts';

/** Offers the methods that both the gate accepts and the person has. */
export default function PresenceDialog({ methods, answer }: Asked) {
  const account = useQuery(accountQuery);
  const [password, setPassword] = useState('');
  const byPassword = useSubmit(async () => {
    if (password === '') throw fieldProblem('password', words.passwordMissing);
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
      title={words.title}
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
              {words.withPasskey}
            </Button>
          )}
          {takesPassword && (
            <Button type="submit" tone="primary" busy={byPassword.busy}>
              {words.confirm}
            </Button>
          )}
        </>
      }
    >
      <p className="soft">{words.lead}</p>
      <ErrorPanel error={error ?? account.error} />
      {takesPassword && (
        <PasswordField
          label={words.password}
          name="password"
          autoComplete="current-password"
          value={password}
          error={isWrong ? words.passwordWrong : fieldError(byPassword.error, 'password')}
          onChange={(event) => setPassword(event.target.value)}
        />
      )}
      {account.data && !takesPassword && !takesPasskey && (
        <Notice tone="info" title={words.neither.title}>
          <p>{words.neither.lead}</p>
          <LinkButton to="/account/security" onClick={() => answer(false)}>
            {words.goToSecurity}
          </LinkButton>
        </Notice>
      )}
    </Dialog>
  );
}
