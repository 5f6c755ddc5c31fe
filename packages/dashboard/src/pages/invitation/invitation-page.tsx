/**
 * An invitation to a project. People who have an account here join with one press; others enter a name and a password.
 */
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { api } from '../../api/client.ts';
import { queryClient, renew } from '../../api/query-client.ts';
import { type Role, sessionQuery, useSession } from '../../api/session.ts';
import { useForm } from '../../api/use-form.ts';
import { fieldProblem, useSubmit } from '../../api/use-submit.ts';
import type { Wire } from '../../api/wire.ts';
import { signOut } from '../../app-shell/account-menu.tsx';
import { EntryForm } from '../../app-shell/entry-form.tsx';
import { EntryPage } from '../../app-shell/entry-page.tsx';
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

const ROLE_MEANS: Readonly<Record<Role, string>> = {
  viewer: 'sees what agents ask and what was decided',
  approver: 'decides on what agents ask',
  admin: 'decides, and manages agents, keys, people and policy',
  owner: 'may do everything, also for other owners',
};

export default function InvitationPage() {
  const navigate = useNavigate();
  const session = useSession();
  const [isNew, setNew] = useState(false);
  const { token, preview, isDead } = useLinkPreview<Wire<'InvitationPreview'>>('invitations', isNew);

  if (isNew) return <OfferPasskey />;
  if (isDead) {
    return (
      <EntryPage
        title="This invitation does not work"
        lead="It was used, was taken back, is too old, or its address is cut off. Ask for a new one."
      >
        <LinkButton to="/inbox" tone="primary" size="l" full>
          To the inbox
        </LinkButton>
      </EntryPage>
    );
  }
  if (preview.error) {
    return (
      <EntryPage title="Invitation">
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
      title="You are invited"
      lead={
        <>
          <InertText text={invitation.invited_by} /> invites <InertText text={invitation.email} />.
        </>
      }
    >
      <Facts
        of={{
          Project: (
            <span className="row">
              <strong>
                <InertText text={invitation.project_name} />
              </strong>
              <ModeBadge mode={invitation.mode} />
            </span>
          ),
          Role: `${invitation.role}: ${ROLE_MEANS[invitation.role]}`,
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
              You are signed in as <InertText text={current.user.email} />. Joining signs you in as{' '}
              <InertText text={invitation.email} /> instead.
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
        Sign in to join
      </LinkButton>
    );
  }
  if (signedInAs !== email) {
    return (
      <div className="stack">
        <Notice tone="warn" title="You are signed in as somebody else">
          This invitation is for <InertText text={email} />, and you are <InertText text={signedInAs} />. Sign
          out, open the link again, and sign in as the person it is for.
        </Notice>
        <Button size="l" full icon="sign-out" onClick={signOut}>
          Sign out
        </Button>
      </div>
    );
  }
  return (
    <div className="stack">
      <ErrorPanel error={error} />
      <Button tone="primary" size="l" full busy={busy} onClick={submit}>
        Join the project
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
    if (name.trim() === '') throw fieldProblem('name', 'Type the name others will see.');
    if (password === '') throw fieldProblem('password', 'Choose a password.');
    const body = { token, name: name.trim(), password };
    await api.post('/console/invitations/accept', body, { staysOnUnauthorized: true });
    await onJoined();
  });
  return (
    <EntryForm form={form} submitLabel="Join the project">
      {/* Tells password managers which account the password belongs to. */}
      <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
      <TextField
        label="Your name"
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
