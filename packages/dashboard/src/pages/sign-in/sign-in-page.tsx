/** Sign-in: password and second factor, passkeys, or the organisation's own provider. */
import { returnPath } from '@permitry/protocol';
import { useCallback, useEffect, useState } from 'react';
import { Navigate, useLocation, useNavigate, useSearchParams } from 'react-router';
import { queryClient } from '../../api/query-client.ts';
import { sessionQuery, useSession } from '../../api/session.ts';
import { EntryPage } from '../../app-shell/entry-page.tsx';
import { ErrorPanel, Notice } from '../../ui/notice.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { PasswordForm } from './password-form.tsx';
import { SecondFactorForm } from './second-factor-form.tsx';
import * as words from './sign-in.words.ts';

interface Ticket {
  ticket: string;
  methods: readonly string[];
}

/**
 * The ticket for the second step, from the URL. The gate puts it there when a provider has signed in a person who also
 * has a second factor here.
 */
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
      <EntryPage title={words.secondStep} lead={words.secondStepLead}>
        <SecondFactorForm {...ticket} onSignedIn={enter} onStartOver={() => setTicket(null)} />
      </EntryPage>
    );
  }
  if (session?.signed_in) return <Navigate to={target} replace />;
  if (error) {
    return (
      <EntryPage title={words.title}>
        <ErrorPanel error={error} onRetry={() => void refetch()} />
      </EntryPage>
    );
  }
  if (!session) return <Waiting />;
  // Text from the URL itself is never shown.
  const problem = words.providerProblems[search.get('problem') ?? ''];
  return (
    <EntryPage
      title={words.title}
      lead={target.startsWith('/approve/') ? words.leadToRequest : undefined}
      below={words.getInvited}
    >
      {problem && <Notice tone="warn">{problem}</Notice>}
      {session.set_up_needed && (
        <Notice tone="info" title={words.newGate}>
          {words.createSetUpLink(<code>npx permitry set-up</code>)}
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
