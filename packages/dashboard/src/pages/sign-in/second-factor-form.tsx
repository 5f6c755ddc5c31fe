import { useState } from 'react';
import { fieldError, isRefusal } from '../../api/api-error.ts';
import { api } from '../../api/client.ts';
import { exceptFields, fieldProblem, useSubmit } from '../../api/use-submit.ts';
import * as entry from '../../app-shell/entry-page.words.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel, Notice } from '../../ui/notice.tsx';
import { TextField } from '../../ui/text-field.tsx';
import * as words from './sign-in.words.ts';

/** The second step: six digits from the authenticator app, or a recovery code. */
export function SecondFactorForm({
  ticket,
  methods,
  onSignedIn,
  onStartOver,
}: {
  ticket: string;
  methods: readonly string[];
  onSignedIn: () => Promise<void>;
  onStartOver: () => void;
}) {
  const [code, setCode] = useState('');
  const [isRecovery, setRecovery] = useState(!methods.includes('totp'));

  const { submit, busy, error, setError } = useSubmit(async () => {
    if (code.trim() === '') throw fieldProblem('code', words.codeMissing);
    await api.post(
      '/console/sign-in/second-factor',
      { ticket, code: code.trim() },
      { staysOnUnauthorized: true },
    );
    await onSignedIn();
  });

  // The first step's ticket is valid for five minutes and a few attempts.
  if (isRefusal(error, 'unauthorized')) {
    return (
      <div className="stack">
        <Notice tone="warn">{words.secondStepExpired}</Notice>
        <Button tone="primary" size="l" full onClick={onStartOver}>
          {words.startOver}
        </Button>
      </div>
    );
  }
  const wrongCode = isRefusal(error, 'invalid_proof')
    ? isRecovery
      ? words.recoveryCodeWrong
      : words.codeWrong
    : undefined;
  return (
    <form onSubmit={submit} noValidate>
      <ErrorPanel error={wrongCode ? null : exceptFields(error, 'code')} />
      {isRecovery ? (
        <TextField
          key="recovery"
          label={words.recoveryCode}
          hint={words.recoveryCodeHint}
          name="recovery-code"
          autoComplete="off"
          autoCapitalize="none"
          autoFocus
          className="code"
          value={code}
          error={fieldError(error, 'code') ?? wrongCode}
          onChange={(event) => setCode(event.target.value)}
        />
      ) : (
        <TextField
          key="totp"
          label={words.code}
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          autoFocus
          maxLength={8}
          className="one-time-code"
          value={code}
          error={fieldError(error, 'code') ?? wrongCode}
          onChange={(event) => setCode(event.target.value)}
        />
      )}
      <Button type="submit" tone="primary" size="l" full busy={busy}>
        {entry.signIn}
      </Button>
      <div className="row apart">
        {methods.includes('recovery_code') && methods.includes('totp') ? (
          <Button
            tone="quiet"
            size="s"
            onClick={() => {
              setRecovery(!isRecovery);
              setCode('');
              setError(null);
            }}
          >
            {isRecovery ? words.toApp : words.toRecoveryCode}
          </Button>
        ) : (
          <span />
        )}
        <Button tone="quiet" size="s" onClick={onStartOver}>
          {words.startOver}
        </Button>
      </div>
    </form>
  );
}
