import { useState } from 'react';
import { useAccountRefresh } from '../../api/account.ts';
import { fieldError, isRefusal } from '../../api/api-error.ts';
import { api } from '../../api/client.ts';
import { exceptFields, fieldProblem, useSubmit } from '../../api/use-submit.ts';
import { toast } from '../../ui/announce.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { NewPasswordField } from '../../ui/new-password-field.tsx';
import { ErrorPanel } from '../../ui/notice.tsx';
import { PasswordField } from '../../ui/text-field.tsx';

export function PasswordCard({ hasPassword, email }: { hasPassword: boolean; email: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Card
      title="Password"
      actions={
        <Button onClick={() => setOpen(true)}>{hasPassword ? 'Change password' : 'Set a password'}</Button>
      }
    >
      <p className="soft">
        {hasPassword
          ? 'You can sign in with a password.'
          : 'You have no password, and sign in with a passkey or at your provider.'}
      </p>
      {isOpen && <PasswordDialog hasPassword={hasPassword} email={email} onClose={() => setOpen(false)} />}
    </Card>
  );
}

function PasswordDialog({
  hasPassword,
  email,
  onClose,
}: {
  hasPassword: boolean;
  email: string;
  onClose: () => void;
}) {
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const refresh = useAccountRefresh();
  const { submit, busy, error } = useSubmit(async () => {
    if (hasPassword && current === '') throw fieldProblem('current', 'Type the password you have now.');
    if (password === '') throw fieldProblem('password', 'Choose a password.');
    await api.post('/console/account/password', { ...(hasPassword && { current }), password });
    toast('Your password is changed. Your other sessions were ended.');
    onClose();
    await refresh();
  });
  const isWrong = isRefusal(error, 'invalid_proof');
  return (
    <FormDialog
      title={hasPassword ? 'Change password' : 'Set a password'}
      onClose={onClose}
      onSubmit={submit}
      submitLabel={hasPassword ? 'Change password' : 'Set password'}
      busy={busy}
    >
      <p className="soft">All your other sessions end, on every device.</p>
      <ErrorPanel error={isWrong ? null : exceptFields(error, 'current', 'password')} />
      {/* For password managers: what the password belongs to. */}
      <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
      {hasPassword && (
        <PasswordField
          label="Current password"
          name="current"
          autoComplete="current-password"
          value={current}
          error={isWrong ? 'This is not your password.' : fieldError(error, 'current')}
          onChange={(event) => setCurrent(event.target.value)}
        />
      )}
      <NewPasswordField
        label="New password"
        value={password}
        error={fieldError(error, 'password')}
        onChange={setPassword}
      />
    </FormDialog>
  );
}
