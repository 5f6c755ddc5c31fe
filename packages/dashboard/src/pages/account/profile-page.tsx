import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Account, accountQuery, useAccountRefresh } from '../../api/account.ts';
import { fieldError } from '../../api/api-error.ts';
import { api } from '../../api/client.ts';
import { sessionQuery, useSignedIn } from '../../api/session.ts';
import { exceptFields, fieldProblem, useSubmit } from '../../api/use-submit.ts';
import { useSignOut } from '../../app-shell/account-menu.tsx';
import { ThemeChoice } from '../../app-shell/theme-choice.tsx';
import { InertText } from '../../inert-text/inert-text.tsx';
import { toast } from '../../ui/announce.tsx';
import { ModeBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorPanel } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { Skeleton } from '../../ui/waiting.tsx';
import { AccountTabs } from './account-tabs.tsx';

export default function ProfilePage() {
  const { data, error, refetch } = useQuery(accountQuery);
  const signOut = useSignOut();
  return (
    <Page title="Account" documentTitle="Profile" width="narrow">
      <AccountTabs />
      <Card title="Profile">
        <ErrorPanel error={error} onRetry={() => void refetch()} />
        {data ? <ProfileForm account={data} /> : !error && <Skeleton lines={3} />}
      </Card>
      <Memberships />
      <Card title="Colours" lead="Kept on this device.">
        <ThemeChoice />
      </Card>
      <div>
        <Button icon="sign-out" onClick={signOut}>
          Sign out
        </Button>
      </div>
    </Page>
  );
}

function ProfileForm({ account }: { account: Account }) {
  const [name, setName] = useState(account.user.name ?? '');
  const client = useQueryClient();
  const refresh = useAccountRefresh();
  const { submit, busy, error } = useSubmit(async () => {
    if (name.trim() === '') throw fieldProblem('name', 'Type the name others will see.');
    await api.patch('/console/account', { name: name.trim() });
    toast('Your name is saved.');
    await Promise.all([refresh(), client.invalidateQueries({ queryKey: sessionQuery.queryKey })]);
  });
  return (
    <form className="stack" onSubmit={submit} noValidate>
      <ErrorPanel error={exceptFields(error, 'name')} />
      <TextField
        label="Name"
        name="name"
        autoComplete="name"
        value={name}
        error={fieldError(error, 'name')}
        onChange={(event) => setName(event.target.value)}
      />
      <dl className="facts">
        <dt>E-mail address</dt>
        <dd>
          <InertText text={account.user.email} />
          <div className="soft small">It stands in every approval of yours and cannot be changed here.</div>
        </dd>
      </dl>
      <div className="button-row">
        <Button type="submit" tone="primary" busy={busy}>
          Save
        </Button>
      </div>
    </form>
  );
}

function Memberships() {
  const { memberships } = useSignedIn();
  return (
    <Card title="Projects">
      {memberships.length === 0 && <p className="soft">You belong to no project.</p>}
      <ul className="list">
        {memberships.map(({ project_id, project_name, mode, role }) => (
          <li key={project_id} className="row apart">
            <span className="row">
              <InertText text={project_name} /> <ModeBadge mode={mode} />
            </span>
            <span className="soft">{role}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
