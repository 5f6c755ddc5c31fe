import { useQuery } from '@tanstack/react-query';
import { type Account, accountQuery, refreshAccount } from '../../api/account.ts';
import { api } from '../../api/client.ts';
import { renew } from '../../api/query-client.ts';
import { sessionQuery, useSignedIn } from '../../api/session.ts';
import { useForm } from '../../api/use-form.ts';
import { fieldProblem } from '../../api/use-submit.ts';
import { signOut } from '../../app-shell/account-menu.tsx';
import { ThemeChoice } from '../../app-shell/theme-choice.tsx';
import { InertText } from '../../inert-text/inert-text.tsx';
import { toast } from '../../ui/announce.tsx';
import { ModeBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Facts } from '../../ui/facts.tsx';
import { ErrorPanel } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { Skeleton } from '../../ui/waiting.tsx';
import { AccountTabs } from './account-tabs.tsx';

export default function ProfilePage() {
  const { data, error, refetch } = useQuery(accountQuery);
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
  const form = useForm({ name: account.user.name ?? '' }, async ({ name }) => {
    if (name.trim() === '') throw fieldProblem('name', 'Type the name others will see.');
    await api.patch('/console/account', { name: name.trim() });
    toast('Your name is saved.');
    await Promise.all([refreshAccount(), renew(sessionQuery.queryKey)]);
  });
  return (
    <form className="stack" onSubmit={form.submit} noValidate>
      <ErrorPanel error={form.problem} />
      <TextField label="Name" name="name" autoComplete="name" {...form.field('name')} />
      <Facts
        of={{
          'E-mail address': (
            <>
              <InertText text={account.user.email} />
              <div className="soft small">
                It stands in every approval of yours and cannot be changed here.
              </div>
            </>
          ),
        }}
      />
      <div className="button-row">
        <Button type="submit" tone="primary" busy={form.busy}>
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
