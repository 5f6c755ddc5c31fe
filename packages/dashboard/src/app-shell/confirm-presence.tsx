/** Asks for a fresh proof of presence before a sensitive change. */
import { useEffect, useState } from 'react';
import { api } from '../api/client.ts';
import { confirmPresence } from '../api/confirm-presence.ts';
import { canUsePasskeys, confirmWithPasskey } from '../api/passkeys.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorPanel } from '../ui/notice.tsx';
import { PasswordField } from '../ui/text-field.tsx';

interface Asked {
  methods: readonly string[];
  answer: (isConfirmed: boolean) => void;
}

export function ConfirmPresence() {
  const [asked, setAsked] = useState<Asked | null>(null);

  useEffect(() => {
    confirmPresence.asker = (methods) =>
      new Promise((resolve) => {
        setAsked({
          methods,
          answer: (isConfirmed) => {
            setAsked(null);
            resolve(isConfirmed);
          },
        });
      });
    return () => {
      confirmPresence.asker = null;
    };
  }, []);

  return asked && <PresenceDialog {...asked} />;
}

function PresenceDialog({ methods, answer }: Asked) {
  const [password, setPassword] = useState('');
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState<'password' | 'passkey' | null>(null);

  const attempt = async (method: 'password' | 'passkey', confirm: () => Promise<unknown>) => {
    setBusy(method);
    setError(null);
    try {
      await confirm();
      answer(true);
    } catch (refused) {
      setError(refused);
      setBusy(null);
    }
  };
  const byPassword = () =>
    attempt('password', () =>
      api.post('/console/session/confirm', { password }, { staysOnUnauthorized: true }),
    );
  const byPasskey = () => attempt('passkey', confirmWithPasskey);

  const hasPassword = methods.includes('password');
  const hasPasskey = methods.includes('passkey') && canUsePasskeys();
  return (
    <Dialog
      open
      title="Confirm that it is you"
      onClose={() => answer(false)}
      onSubmit={hasPassword ? byPassword : byPasskey}
      actions={
        <>
          {hasPasskey && hasPassword && (
            <Button icon="passkey" busy={busy === 'passkey'} onClick={byPasskey}>
              Use a passkey
            </Button>
          )}
          <Button
            type="submit"
            tone="primary"
            busy={hasPassword ? busy === 'password' : busy === 'passkey'}
            {...(!hasPassword && { icon: 'passkey' as const })}
          >
            {hasPassword ? 'Confirm' : 'Use a passkey'}
          </Button>
        </>
      }
    >
      <p className="soft">This change touches how you sign in. Your answer holds for 15 minutes.</p>
      {hasPassword && (
        <PasswordField
          label="Your password"
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      )}
      <ErrorPanel error={error} />
    </Dialog>
  );
}
