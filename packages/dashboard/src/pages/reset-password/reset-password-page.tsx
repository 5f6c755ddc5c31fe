/** A forgotten password: asks for a link by mail, and with the link for a new password. */
import { useState } from 'react';
import { Link, useLocation, useNavigate } from 'react-router';
import { fieldError, isRefusal } from '../../api/api-error.ts';
import { api } from '../../api/client.ts';
import { useSession } from '../../api/session.ts';
import { exceptFields, fieldProblem, useSubmit } from '../../api/use-submit.ts';
import { EntryPage } from '../../app-shell/entry-page.tsx';
import { useLinkToken } from '../../app-shell/link-token.ts';
import { toast } from '../../ui/announce.tsx';
import { Button, LinkButton } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { NewPasswordField } from '../../ui/new-password-field.tsx';
import { ErrorPanel, Notice } from '../../ui/notice.tsx';
import { TextField } from '../../ui/text-field.tsx';

export default function ResetPasswordPage() {
  const token = useLinkToken();
  return token === '' ? <AskForLink /> : <ChooseAnother token={token} />;
}

function AskForLink() {
  const state = useLocation().state as { email?: unknown } | null;
  const [email, setEmail] = useState(typeof state?.email === 'string' ? state.email : '');
  const [sentTo, setSentTo] = useState('');
  const { data: session } = useSession();
  const { submit, busy, error } = useSubmit(async () => {
    if (email.trim() === '') throw fieldProblem('email', 'Type your e-mail address.');
    await api.post('/console/password-reset', { email: email.trim() }, { staysOnUnauthorized: true });
    setSentTo(email.trim());
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
      <form onSubmit={submit} noValidate>
        <ErrorPanel error={exceptFields(error, 'email')} />
        <TextField
          label="E-mail address"
          type="email"
          name="email"
          inputMode="email"
          autoComplete="username"
          autoCapitalize="none"
          autoFocus
          required
          value={email}
          error={fieldError(error, 'email')}
          onChange={(event) => setEmail(event.target.value)}
        />
        <Button type="submit" tone="primary" size="l" full busy={busy}>
          Send the link
        </Button>
      </form>
    </EntryPage>
  );
}

/** Nobody waits for a mail that never comes. */
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
  const [password, setPassword] = useState('');
  const { submit, busy, error } = useSubmit(async () => {
    if (password === '') throw fieldProblem('password', 'Choose a password.');
    await api.post('/console/password-reset/finish', { token, password }, { staysOnUnauthorized: true });
    toast('Your password is changed. All your sessions were ended: sign in with the new one.');
    void navigate('/sign-in', { replace: true });
  });
  if (isRefusal(error, 'not_found')) {
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
      <form onSubmit={submit} noValidate>
        <ErrorPanel error={exceptFields(error, 'password')} />
        <NewPasswordField
          label="New password"
          value={password}
          error={fieldError(error, 'password')}
          onChange={setPassword}
        />
        <Button type="submit" tone="primary" size="l" full busy={busy}>
          Change the password
        </Button>
      </form>
    </EntryPage>
  );
}
