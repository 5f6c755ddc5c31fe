/**
 * An invitation to a project. People who have an account here join with one press; others enter a name and a password.
 */
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { api } from '../../api/client.ts';
import { queryClient, renew } from '../../api/query-client.ts';
import { sessionQuery, useSession } from '../../api/session.ts';
import { useForm } from '../../api/use-form.ts';
import { fieldProblem, useSubmit } from '../../api/use-submit.ts';
import type { Wire } from '../../api/wire.ts';
import { signOut } from '../../app-shell/account-menu.tsx';
import { EntryForm } from '../../app-shell/entry-form.tsx';
import { EntryPage } from '../../app-shell/entry-page.tsx';
import * as entry from '../../app-shell/entry-page.words.ts';
import { OfferPasskey } from '../../app-shell/offer-passkey.tsx';
import { useLinkPreview } from '../../app-shell/use-link-preview.ts';
import { InertText } from '../../inert-text/inert-text.tsx';
import { ModeBadge } from '../../ui/badge.tsx';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { NewPasswordField } from '../../ui/new-password-field.tsx';
import { ErrorPanel, Notice } from '../../ui/notice.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import * as words from './invitation.words.ts';

export default function InvitationPage() {
  const navigate = useNavigate();
  const session = useSession();
  const [isNew, setNew] = useState(false);
  const { token, preview, isDead } = useLinkPreview<Wire<'InvitationPreview'>>('invitations', isNew);

  if (isNew) return <OfferPasskey />;
  if (isDead) {
    return (
      <EntryPage title={words.dead} lead={words.deadLead}>
        <LinkButton to="/inbox" tone="primary" size="l" full>
          {words.goToInbox}
        </LinkButton>
      </EntryPage>
    );
  }
  if (preview.error) {
    return (
      <EntryPage title={words.loading}>
        <ErrorPanel error={preview.error} onRetry={() => void preview.refetch()} />
      </EntryPage>
    );
  }
  if (!preview.data || !session.data) return <Waiting />;
  const invitation = preview.data;
  const { data: current } = session;
  const join = async (made: 'new' | 'known') => {
    await renew(sessionQuery.queryKey);
    if (made === 'known') {
      queryClient.clear();
      void navigate('/inbox', { replace: true });
      return;
    }
    void navigate('/invitation', { replace: true });
    setNew(true);
  };
  return (
    <EntryPage
      title={words.title}
      lead={words.lead(<InertText text={invitation.invited_by} />, <InertText text={invitation.email} />)}
    >
      <Facts
        of={{
          [words.project]: (
            <span className="row">
              <strong>
                <InertText text={invitation.project_name} />
              </strong>
              <ModeBadge mode={invitation.mode} />
            </span>
          ),
          [words.role]: words.roles[invitation.role],
        }}
      />
      {invitation.has_account ? (
        <Join
          token={token}
          email={invitation.email}
          signedInAs={current.signed_in ? current.user.email : null}
          onJoined={() => join('known')}
        />
      ) : (
        <>
          {current.signed_in && (
            <Notice tone="info">
              {words.signsInAs(
                <InertText text={current.user.email} />,
                <InertText text={invitation.email} />,
              )}
            </Notice>
          )}
          <NewAccount token={token} email={invitation.email} onJoined={() => join('new')} />
        </>
      )}
    </EntryPage>
  );
}

function Join({
  token,
  email,
  signedInAs,
  onJoined,
}: {
  token: string;
  email: string;
  signedInAs: string | null;
  onJoined: () => Promise<void>;
}) {
  const { submit, busy, error } = useSubmit(async () => {
    await api.post('/console/invitations/accept', { token });
    await onJoined();
  });
  if (signedInAs === null) {
    return (
      <LinkButton
        to={`/sign-in?return_to=${encodeURIComponent(`/invitation#${token}`)}`}
        tone="primary"
        size="l"
        full
      >
        {words.signInToJoin}
      </LinkButton>
    );
  }
  if (signedInAs !== email) {
    return (
      <div className="stack">
        <Notice tone="warn" title={words.otherAccount}>
          {words.otherAccountLead(<InertText text={email} />, <InertText text={signedInAs} />)}
        </Notice>
        <Button size="l" full icon="sign-out" onClick={signOut}>
          {entry.signOut}
        </Button>
      </div>
    );
  }
  return (
    <div className="stack">
      <ErrorPanel error={error} />
      <Button tone="primary" size="l" full busy={busy} onClick={submit}>
        {words.join}
      </Button>
    </div>
  );
}

function NewAccount({
  token,
  email,
  onJoined,
}: {
  token: string;
  email: string;
  onJoined: () => Promise<void>;
}) {
  const form = useForm({ name: '', password: '' }, async ({ name, password }) => {
    if (name.trim() === '') throw fieldProblem('name', entry.nameMissing);
    if (password === '') throw fieldProblem('password', entry.choosePassword);
    const body = { token, name: name.trim(), password };
    await api.post('/console/invitations/accept', body, { staysOnUnauthorized: true });
    await onJoined();
  });
  return (
    <EntryForm form={form} submitLabel={words.join}>
      {/* Tells password managers which account the password belongs to. */}
      <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
      <TextField
        label={entry.name}
        name="name"
        autoComplete="name"
        autoFocus
        required
        {...form.field('name')}
      />
      <NewPasswordField {...form.field('password')} />
    </EntryForm>
  );
}
