import { returnPath } from '@permitry/protocol';
/** Sign-in: password and second factor, passkeys, or the organisation's own provider. */
import { useCallback, useEffect, useState } from 'react';
import { Navigate, useLocation, useNavigate, useSearchParams } from 'react-router';
import { queryClient } from '../../api/query-client.ts';
import { sessionQuery, useSession } from '../../api/session.ts';
import { EntryPage } from '../../app-shell/entry-page.tsx';
import { ErrorPanel, Notice } from '../../ui/notice.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { PasswordForm } from './password-form.tsx';
import { SecondFactorForm } from './second-factor-form.tsx';

/**
 * Texts for the error codes in the URL after a failed return from a provider. Text from the URL itself is never shown.
 */
const PROVIDER_PROBLEMS: Readonly<Record<string, string>> = {
  provider_unavailable: 'Your provider cannot be reached just now. Try again, or sign in another way.',
  provider_refused: 'Your provider did not sign you in. Try again, or sign in another way.',
  sign_in_expired: 'The sign-in at your provider took too long. Try again.',
  email_not_verified: 'Your provider has not verified your e-mail address, so it cannot be used here.',
  unknown_person: 'Nobody here has the address your provider gave. Ask for an invitation.',
};

interface Ticket {
  ticket: string;
  methods: readonly string[];
}

/** A provider signed in a person with a second factor here; the gate passes this ticket on. */
function readTicket(hash: string): Ticket | null {
  const step = new URLSearchParams(hash.slice(1));
  const ticket = step.get('ticket');
  return ticket === null ? null : { ticket, methods: (step.get('methods') ?? 'totp').split(' ') };
}

export default function SignInPage() {
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const { data: session, error, refetch } = useSession();
  const { hash, search: query } = useLocation();
  const [ticket, setTicket] = useState(() => readTicket(hash));
  const [email, setEmail] = useState('');
  const target = returnPath(search.get('return_to'), window.location.origin);

  const enter = useCallback(async () => {
    queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
    await queryClient.refetchQueries({ queryKey: sessionQuery.queryKey });
    void navigate(target, { replace: true });
  }, [navigate, target]);

  // Read once and removed, because a URL stays in the browser's history.
  useEffect(() => {
    if (hash !== '') void navigate(`/sign-in${query}`, { replace: true });
  }, [hash, query, navigate]);

  // A person who returns from a provider may still be signed in as somebody else.
  if (ticket) {
    return (
      <EntryPage title="One more step" lead="Your account is protected by a second factor.">
        <SecondFactorForm {...ticket} onSignedIn={enter} onStartOver={() => setTicket(null)} />
      </EntryPage>
    );
  }
  if (session?.signed_in) return <Navigate to={target} replace />;
  if (error) {
    return (
      <EntryPage title="Sign in">
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      </EntryPage>
    );
  }
  if (!session) return <Waiting />;
  const problem = PROVIDER_PROBLEMS[search.get('problem') ?? ''];
  return (
    <EntryPage
      title="Sign in"
      lead={
        target.startsWith('/approve/') ? 'Then you come back to the request that waits for you.' : undefined
      }
      below="New here? You need an invitation from somebody who is in already."
    >
      {problem && <Notice tone="warn">{problem}</Notice>}
      {session.set_up_needed && (
        <Notice tone="info" title="This gate is new">
          Nobody can sign in yet. Open the set-up link that the gate showed at its first start, or create a
          new one on its machine: <code>npx permitry set-up</code>
        </Notice>
      )}
      <PasswordForm
        email={email}
        onEmail={setEmail}
        providers={session.oidc ?? []}
        target={target}
        onSignedIn={enter}
        onSecondFactor={setTicket}
      />
    </EntryPage>
  );
}
