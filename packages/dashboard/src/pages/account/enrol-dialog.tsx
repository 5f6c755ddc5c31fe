import { isRefusal } from '../../api/api-error.ts';
import { api } from '../../api/client.ts';
import { useForm } from '../../api/use-form.ts';
import { fieldProblem } from '../../api/use-submit.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { QrCode } from './qr-code.tsx';
import * as words from './security.words.ts';

export interface TotpSecret {
  secret: string;
  /** `otpauth://totp/…` */
  uri: string;
}

/** Shows the secret as a QR code and as text. Sign-in asks for a code only after the person has entered one here. */
export function EnrolDialog({
  secret,
  onClose,
  onEnrolled,
}: {
  secret: TotpSecret;
  onClose: () => void;
  onEnrolled: (recoveryCodes: readonly string[]) => Promise<void>;
}) {
  const form = useForm({ code: '' }, async ({ code }) => {
    const digits = code.replace(/\s/g, '');
    if (digits.length < 6) throw fieldProblem('code', words.digitsMissing);
    const { recovery_codes } = await api.post<{ recovery_codes: string[] }>('/console/account/totp/confirm', {
      code: digits,
    });
    await onEnrolled(recovery_codes);
  });
  const isWrong = isRefusal(form.error, 'invalid_proof');
  const field = form.field('code');
  return (
    <FormDialog
      title={words.enrolApp}
      submitLabel={words.turnOn}
      form={{ ...form, problem: isWrong ? null : form.problem }}
      onClose={onClose}
    >
      <ol className="account-steps">
        <li>
          {words.scan(<a href={secret.uri}>{words.openInApp}</a>)}
          <QrCode text={secret.uri} label={words.qrCode} />
          <details>
            <summary>{words.cannotScan}</summary>
            <p className="soft small">{words.enterKey}</p>
            <div className="row">
              <code className="account-secret">{secret.secret.match(/.{1,4}/g)?.join(' ')}</code>
              <CopyButton text={secret.secret} what={words.theKey} />
            </div>
          </details>
        </li>
        <li>
          <TextField
            label={words.digits}
            name="code"
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={8}
            className="one-time-code"
            {...field}
            error={isWrong ? words.digitsWrong : field.error}
          />
        </li>
      </ol>
    </FormDialog>
  );
}
