import { useEffect, useState } from 'react';
import { Link } from 'react-router';
import { ApiError, fieldError, isRefusal } from '../../api/api-error.ts';
import { api } from '../../api/client.ts';
import {
  cancelPasskeySuggestions,
  canSuggestPasskeys,
  canUsePasskeys,
  signInWithPasskey,
} from '../../api/passkeys.ts';
import { exceptFields, fieldProblem, useSubmit } from '../../api/use-submit.ts';
import * as entry from '../../app-shell/entry-page.words.ts';
import { providerPath } from '../../app-shell/sign-in-path.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/notice.tsx';
import { PasswordField, TextField } from '../../ui/text-field.tsx';
import * as words from './sign-in.words.ts';

type SignInAnswer =
  | { status: 'signed_in' }
  | { status: 'second_factor'; ticket: string; methods: readonly string[] };

/** The first step of sign-in, with its alternatives. */
export function PasswordForm({
  email,
  onEmail,
  providers,
  target,
  onSignedIn,
  onSecondFactor,
}: {
  email: string;
  onEmail: (email: string) => void;
  providers: readonly { id: string; name: string }[];
  /** The page to open afterwards. */
  target: string;
  onSignedIn: () => Promise<void>;
  onSecondFactor: (step: { ticket: string; methods: readonly string[] }) => void;
}) {
  const [password, setPassword] = useState('');

  const byPassword = useSubmit(async () => {
    if (email.trim() === '') throw fieldProblem('email', entry.emailMissing);
    if (password === '') throw fieldProblem('password', words.passwordMissing);
    byPasskey.setError(null);
    const body = { email: email.trim(), password };
    const answer = await api.post<SignInAnswer>('/console/sign-in', body, { staysOnUnauthorized: true });
    if (answer.status === 'second_factor') onSecondFactor(answer);
    else await onSignedIn();
  });
  const byPasskey = useSubmit(async () => {
    byPassword.setError(null);
    await signInWithPasskey();
    await onSignedIn();
  });
  useSuggestedPasskeys(onSignedIn, byPasskey.setError);

  const error = byPassword.error ?? byPasskey.error;
  return (
    <>
      <form onSubmit={byPassword.submit} noValidate>
        <ErrorPanel error={exceptFields(error, 'email', 'password')} />
        <TextField
          label={entry.email}
          type="email"
          name="email"
          inputMode="email"
          autoComplete="username webauthn"
          autoCapitalize="none"
          autoFocus
          required
          value={email}
          error={fieldError(error, 'email')}
          onChange={(event) => onEmail(event.target.value)}
        />
        <PasswordField
          label={words.password}
          name="password"
          autoComplete="current-password"
          required
          value={password}
          error={fieldError(error, 'password')}
          onChange={(event) => setPassword(event.target.value)}
        />
        <Button type="submit" tone="primary" size="l" full busy={byPassword.busy}>
          {entry.signIn}
        </Button>
        <Link to="/reset-password" state={{ email }} className="small reachable">
          {words.forgotPassword}
        </Link>
      </form>
      {(canUsePasskeys() || providers.length > 0) && (
        <div className="stack">
          <div className="or" aria-hidden="true">
            {words.or}
          </div>
          {canUsePasskeys() && (
            <Button icon="passkey" size="l" full busy={byPasskey.busy} onClick={byPasskey.submit}>
              {words.withPasskey}
            </Button>
          )}
          {providers.map(({ id, name }) => (
            <a key={id} className="button full" data-size="l" href={providerPath(id, target)}>
              {words.continueWith(name)}
            </a>
          ))}
        </div>
      )}
    </>
  );
}

/** Suggests passkeys in the email field while the form is shown. */
function useSuggestedPasskeys(onSignedIn: () => Promise<void>, onError: (error: unknown) => void): void {
  useEffect(() => {
    let isHere = true;
    const suggest = async () => {
      if (!(await canSuggestPasskeys()) || !isHere) return;
      try {
        await signInWithPasskey({ asSuggestion: true });
        if (isHere) await onSignedIn();
      } catch (error) {
        // The person did not start this. So show only the gate's refusal of a passkey that they picked.
        const isTold = error instanceof ApiError && error.status >= 400 && !isRefusal(error, 'rate_limited');
        if (isHere && isTold) onError(error);
      }
    };
    void suggest();
    return () => {
      isHere = false;
      void cancelPasskeySuggestions();
    };
  }, [onSignedIn, onError]);
}
