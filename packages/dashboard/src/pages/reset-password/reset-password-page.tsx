/** Password reset: asks the gate to email a link. With the link, asks for a new password. */
import { useState } from 'react';
import { Link, useLocation, useNavigate } from 'react-router';
import { isRefusal } from '../../api/api-error.ts';
import { api } from '../../api/client.ts';
import { useSession } from '../../api/session.ts';
import { useForm } from '../../api/use-form.ts';
import { fieldProblem } from '../../api/use-submit.ts';
import { EntryForm } from '../../app-shell/entry-form.tsx';
import { EntryPage } from '../../app-shell/entry-page.tsx';
import * as entry from '../../app-shell/entry-page.words.ts';
import { useLinkToken } from '../../app-shell/link-token.ts';
import { toast } from '../../ui/announce.tsx';
import { Button, LinkButton } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { NewPasswordField } from '../../ui/new-password-field.tsx';
import { newPassword } from '../../ui/new-password-field.words.ts';
import { Notice } from '../../ui/notice.tsx';
import { TextField } from '../../ui/text-field.tsx';
import * as words from './reset-password.words.ts';

export default function ResetPasswordPage() {
  const token = useLinkToken();
  return token === '' ? <AskForLink /> : <ChooseAnother token={token} />;
}

function AskForLink() {
  const state = useLocation().state as { email?: unknown } | null;
  const [sentTo, setSentTo] = useState('');
  const { data: session } = useSession();
  const first = typeof state?.email === 'string' ? state.email : '';
  const form = useForm({ email: first }, async (draft) => {
    const email = draft.email.trim();
    if (email === '') throw fieldProblem('email', entry.emailMissing);
    await api.post('/console/password-reset', { email }, { staysOnUnauthorized: true });
    setSentTo(email);
  });
  if (session?.signed_in === false && !session.sends_mail) return <NoMail />;
  if (sentTo !== '') {
    return (
      <EntryPage title={words.sent} below={<Link to="/sign-in">{entry.backToSignIn}</Link>}>
        <Notice tone="good">{words.sentTo(<strong>{sentTo}</strong>)}</Notice>
        <p className="soft small">{words.noEmail}</p>
        <Button onClick={() => setSentTo('')}>{words.otherAddress}</Button>
      </EntryPage>
    );
  }
  return (
    <EntryPage title={words.title} lead={words.lead} below={<Link to="/sign-in">{entry.backToSignIn}</Link>}>
      <EntryForm form={form} submitLabel={words.send}>
        <TextField
          label={entry.email}
          type="email"
          name="email"
          inputMode="email"
          autoComplete="username"
          autoCapitalize="none"
          autoFocus
          required
          {...form.field('email')}
        />
      </EntryForm>
    </EntryPage>
  );
}

/** Nobody should wait for an email that never comes. */
function NoMail() {
  return (
    <EntryPage
      title={words.title}
      lead={words.noMail}
      below={<Link to="/sign-in">{entry.backToSignIn}</Link>}
    >
      <CodeBlock
        title={entry.onGatesMachine}
        code="npx permitry member reset-link you@example.org"
        what={entry.theCommand}
        wrap
      />
      <p className="soft small">{words.passkeysWork}</p>
    </EntryPage>
  );
}

function ChooseAnother({ token }: { token: string }) {
  const navigate = useNavigate();
  const form = useForm({ password: '' }, async ({ password }) => {
    if (password === '') throw fieldProblem('password', entry.choosePassword);
    await api.post('/console/password-reset/finish', { token, password }, { staysOnUnauthorized: true });
    toast(words.changed);
    void navigate('/sign-in', { replace: true });
  });
  if (isRefusal(form.error, 'not_found')) {
    return (
      <EntryPage title={entry.deadLink} lead={words.deadLinkLead}>
        <LinkButton to="/reset-password" replace tone="primary" size="l" full>
          {words.getNewLink}
        </LinkButton>
      </EntryPage>
    );
  }
  return (
    <EntryPage title={words.choose} lead={words.chooseLead}>
      <EntryForm form={form} submitLabel={words.change}>
        <NewPasswordField label={newPassword} {...form.field('password')} />
      </EntryForm>
    </EntryPage>
  );
}
