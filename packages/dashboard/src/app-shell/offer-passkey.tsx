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
import * as words from './offer-passkey.words.ts';

/** After the first sign-in: offers to add a passkey now or later, then continues to the inbox. */
export function OfferPasskey() {
  const navigate = useNavigate();
  return (
    <EntryPage title={words.title} lead={words.lead}>
      <Offer onDone={() => void navigate('/inbox', { replace: true })} />
    </EntryPage>
  );
}

function Offer({ onDone }: { onDone: () => void }) {
  const [name, setName] = useState(suggestPasskeyName);
  const { submit, busy, error } = useSubmit(async () => {
    await addPasskey(name.trim());
    toast(words.added);
    onDone();
  });
  if (!canUsePasskeys()) {
    return (
      <div className="stack">
        <Notice tone="info">{words.unsupported}</Notice>
        <Button tone="primary" size="l" full onClick={onDone}>
          {words.goToInbox}
        </Button>
      </div>
    );
  }
  return (
    <form onSubmit={submit} noValidate>
      <p className="soft small">{words.purpose}</p>
      <ErrorPanel error={exceptFields(error, 'name')} />
      <TextField
        label={words.name}
        name="passkey-name"
        autoComplete="off"
        value={name}
        error={fieldError(error, 'name')}
        onChange={(event) => setName(event.target.value)}
      />
      <Button type="submit" tone="primary" size="l" icon="passkey" full busy={busy}>
        {words.add}
      </Button>
      <Button size="l" tone="quiet" full onClick={onDone}>
        {words.skip}
      </Button>
    </form>
  );
}
