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
import { useLinkToken } from '../../app-shell/link-token.ts';
import { toast } from '../../ui/announce.tsx';
import { Button, LinkButton } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { NewPasswordField } from '../../ui/new-password-field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { TextField } from '../../ui/text-field.tsx';

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
    if (email === '') throw fieldProblem('email', 'Type your e-mail address.');
    await api.post('/console/password-reset', { email }, { staysOnUnauthorized: true });
    setSentTo(email);
  });
  if (session?.signed_in === false && !session.sends_mail) return <NoMail />;
  if (sentTo !== '') {
    return (
      <EntryPage title="Look at your mail" below={<Link to="/sign-in">Back to sign-in</Link>}>
        <Notice tone="good">
          If <strong>{sentTo}</strong> can sign in here, a mail with a link is on its way. The link works
          once, for half an hour.
        </Notice>
        <p className="soft small">Nothing came? Look among unwanted mail, or ask whoever runs this gate.</p>
        <Button onClick={() => setSentTo('')}>Use another address</Button>
      </EntryPage>
    );
  }
  return (
    <EntryPage
      title="Forgotten password"
      lead="We send you a link to choose another. Passkeys go on working."
      below={<Link to="/sign-in">Back to sign-in</Link>}
    >
      <EntryForm form={form} submitLabel="Send the link">
        <TextField
          label="E-mail address"
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
      title="Forgotten password"
      lead="This gate sends no mail. Whoever runs it can make you a link for a new password."
      below={<Link to="/sign-in">Back to sign-in</Link>}
    >
      <CodeBlock title="On the gate’s machine" code="npx permitry member reset-link you@example.org" wrap />
      <p className="soft small">Passkeys go on working.</p>
    </EntryPage>
  );
}

function ChooseAnother({ token }: { token: string }) {
  const navigate = useNavigate();
  const form = useForm({ password: '' }, async ({ password }) => {
    if (password === '') throw fieldProblem('password', 'Choose a password.');
    await api.post('/console/password-reset/finish', { token, password }, { staysOnUnauthorized: true });
    toast('Your password is changed. All your sessions were ended: sign in with the new one.');
    void navigate('/sign-in', { replace: true });
  });
  if (isRefusal(form.error, 'not_found')) {
    return (
      <EntryPage title="This link does not work" lead="It was used, or is too old. Ask for another.">
        <LinkButton to="/reset-password" replace tone="primary" size="l" full>
          Ask for another link
        </LinkButton>
      </EntryPage>
    );
  }
  return (
    <EntryPage title="Choose a new password" lead="All your sessions end, on every device.">
      <EntryForm form={form} submitLabel="Change the password">
        <NewPasswordField label="New password" {...form.field('password')} />
      </EntryForm>
    </EntryPage>
  );
}
