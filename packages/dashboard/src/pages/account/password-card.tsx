import { useState } from 'react';
import { refreshAccount } from '../../api/account.ts';
import { isRefusal } from '../../api/api-error.ts';
import { api } from '../../api/client.ts';
import { useForm } from '../../api/use-form.ts';
import { fieldProblem } from '../../api/use-submit.ts';
import { toast } from '../../ui/announce.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { NewPasswordField } from '../../ui/new-password-field.tsx';
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
  const form = useForm({ current: '', password: '' }, async ({ current, password }) => {
    if (hasPassword && current === '') throw fieldProblem('current', 'Type the password you have now.');
    if (password === '') throw fieldProblem('password', 'Choose a password.');
    await api.post('/console/account/password', { ...(hasPassword && { current }), password });
    toast('Your password is changed. Your other sessions were ended.');
    onClose();
    await refreshAccount();
  });
  const isWrong = isRefusal(form.error, 'invalid_proof');
  const current = form.field('current');
  return (
    <FormDialog
      title={hasPassword ? 'Change password' : 'Set a password'}
      submitLabel={hasPassword ? 'Change password' : 'Set password'}
      form={{ ...form, problem: isWrong ? null : form.problem }}
      onClose={onClose}
    >
      <p className="soft">All your other sessions end, on every device.</p>
      {/* Tells password managers which account the password belongs to. */}
      <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
      {hasPassword && (
        <PasswordField
          label="Current password"
          name="current"
          autoComplete="current-password"
          {...current}
          error={isWrong ? 'This is not your password.' : current.error}
        />
      )}
      <NewPasswordField label="New password" {...form.field('password')} />
    </FormDialog>
  );
}
