/**
 * For the first person of a new gate: leads from the terminal's one-time link to a password, a passkey and the inbox.
 */
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { api } from '../../api/client.ts';
import { renew } from '../../api/query-client.ts';
import { sessionQuery, useSession } from '../../api/session.ts';
import { useForm } from '../../api/use-form.ts';
import { fieldProblem } from '../../api/use-submit.ts';
import type { Wire } from '../../api/wire.ts';
import { EntryForm } from '../../app-shell/entry-form.tsx';
import { EntryPage } from '../../app-shell/entry-page.tsx';
import * as entry from '../../app-shell/entry-page.words.ts';
import { OfferPasskey } from '../../app-shell/offer-passkey.tsx';
import { useLinkPreview } from '../../app-shell/use-link-preview.ts';
import { LinkButton } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { NewPasswordField } from '../../ui/new-password-field.tsx';
import { ErrorPanel } from '../../ui/notice.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import * as words from './set-up.words.ts';

export default function SetUpPage() {
  const navigate = useNavigate();
  const session = useSession();
  const [isDone, setDone] = useState(false);
  const { token, preview, isDead } = useLinkPreview<Wire<'SetUpPreview'>>('set-up', isDone);

  if (isDone) return <OfferPasskey />;
  if (isDead) {
    return <DeadLink isSetUpNeeded={session.data?.signed_in === false && session.data.set_up_needed} />;
  }
  if (preview.error) {
    return (
      <EntryPage title={words.title}>
        <ErrorPanel error={preview.error} onRetry={() => void preview.refetch()} />
      </EntryPage>
    );
  }
  if (!preview.data) return <Waiting />;
  return (
    <EntryPage title={words.title} lead={words.lead}>
      <SetUpForm
        token={token}
        givenEmail={preview.data.email}
        onDone={async () => {
          // The link is used up, so a reload must not try it again.
          void navigate('/set-up', { replace: true });
          setDone(true);
          await renew(sessionQuery.queryKey);
        }}
      />
    </EntryPage>
  );
}

function SetUpForm({
  token,
  givenEmail,
  onDone,
}: {
  token: string;
  givenEmail: string;
  onDone: () => Promise<void>;
}) {
  const first = { email: givenEmail, name: '', password: '' };
  const form = useForm(first, async ({ email, name, password }) => {
    if (name.trim() === '') throw fieldProblem('name', entry.nameMissing);
    if (email.trim() === '') throw fieldProblem('email', entry.emailMissing);
    if (password === '') throw fieldProblem('password', entry.choosePassword);
    const body = { token, email: email.trim(), name: name.trim(), password };
    await api.post('/console/set-up', body, { staysOnUnauthorized: true });
    await onDone();
  });
  return (
    <EntryForm form={form} submitLabel={words.submit}>
      <TextField
        label={entry.name}
        name="name"
        autoComplete="name"
        autoFocus
        required
        {...form.field('name')}
      />
      <TextField
        label={entry.email}
        hint={words.emailHint}
        type="email"
        name="email"
        inputMode="email"
        autoComplete="username"
        autoCapitalize="none"
        required
        {...form.field('email')}
      />
      <NewPasswordField {...form.field('password')} />
    </EntryForm>
  );
}

function DeadLink({ isSetUpNeeded }: { isSetUpNeeded: boolean }) {
  return (
    <EntryPage
      title={entry.deadLink}
      lead={isSetUpNeeded ? words.deadLinkOfNewGate : words.deadLinkOfOldGate}
    >
      {isSetUpNeeded ? (
        <CodeBlock code="npx permitry set-up" title={entry.onGatesMachine} what={entry.theCommand} />
      ) : (
        <LinkButton to="/sign-in" tone="primary" size="l" full>
          {entry.signIn}
        </LinkButton>
      )}
    </EntryPage>
  );
}
