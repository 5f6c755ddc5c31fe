import { useState } from 'react';
import { useNavigate } from 'react-router';
import { fieldError } from '../api/api-error.ts';
import { addPasskey, canUsePasskeys, suggestPasskeyName } from '../api/passkeys.ts';
import { exceptFields, useSubmit } from '../api/use-submit.ts';
import { toast } from '../ui/announce.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorPanel, Notice } from '../ui/notice.tsx';
import { TextField } from '../ui/text-field.tsx';
import { EntryPage } from './entry-page.tsx';

/** After the first sign-in: offers to add a passkey now or later, then continues to the inbox. */
export function OfferPasskey() {
  const navigate = useNavigate();
  return (
    <EntryPage title="Add a passkey" lead="Sign in next time with your fingerprint, face or security key.">
      <Offer onDone={() => void navigate('/inbox', { replace: true })} />
    </EntryPage>
  );
}

function Offer({ onDone }: { onDone: () => void }) {
  const [name, setName] = useState(suggestPasskeyName);
  const { submit, busy, error } = useSubmit(async () => {
    await addPasskey(name.trim());
    toast('Your passkey is saved.');
    onDone();
  });
  if (!canUsePasskeys()) {
    return (
      <div className="stack">
        <Notice tone="info">
          This browser has no passkeys. You can add one later, with another browser or device, under Account.
        </Notice>
        <Button tone="primary" size="l" full onClick={onDone}>
          Go to the inbox
        </Button>
      </div>
    );
  }
  return (
    <form onSubmit={submit} noValidate>
      <p className="soft small">
        Approvals confirmed with a passkey can be checked later by anybody, without trusting this server.
        High-risk requests may ask for one.
      </p>
      <ErrorPanel error={exceptFields(error, 'name')} />
      <TextField
        label="What to call it"
        name="passkey-name"
        autoComplete="off"
        value={name}
        error={fieldError(error, 'name')}
        onChange={(event) => setName(event.target.value)}
      />
      <Button type="submit" tone="primary" size="l" icon="passkey" full busy={busy}>
        Add a passkey
      </Button>
      <Button size="l" tone="quiet" full onClick={onDone}>
        Not now, go to the inbox
      </Button>
    </form>
  );
}
