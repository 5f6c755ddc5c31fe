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
import { newPassword } from '../../ui/new-password-field.words.ts';
import { PasswordField } from '../../ui/text-field.tsx';
import * as words from './security.words.ts';

export function PasswordCard({ hasPassword, email }: { hasPassword: boolean; email: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Card
      title={words.password}
      actions={
        <Button onClick={() => setOpen(true)}>
          {hasPassword ? words.changePassword : words.setAPassword}
        </Button>
      }
    >
      <p className="soft">{hasPassword ? words.passwordSet : words.noPassword}</p>
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
    if (hasPassword && current === '') throw fieldProblem('current', words.currentPasswordMissing);
    if (password === '') throw fieldProblem('password', words.passwordMissing);
    await api.post('/console/account/password', { ...(hasPassword && { current }), password });
    toast(words.passwordChanged);
    onClose();
    await refreshAccount();
  });
  const isWrong = isRefusal(form.error, 'invalid_proof');
  const current = form.field('current');
  return (
    <FormDialog
      title={hasPassword ? words.changePassword : words.setAPassword}
      submitLabel={hasPassword ? words.changePassword : words.setPassword}
      form={{ ...form, problem: isWrong ? null : form.problem }}
      onClose={onClose}
    >
      <p className="soft">{words.changePasswordConsequence}</p>
      {/* Tells password managers which account the password belongs to. */}
      <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
      {hasPassword && (
        <PasswordField
          label={words.currentPassword}
          name="current"
          autoComplete="current-password"
          {...current}
          error={isWrong ? words.passwordWrong : current.error}
        />
      )}
      <NewPasswordField label={newPassword} {...form.field('password')} />
    </FormDialog>
  );
}
