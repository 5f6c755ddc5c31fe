import { useQuery } from '@tanstack/react-query';
import { type Account, accountQuery, refreshAccount } from '../../api/account.ts';
import { api } from '../../api/client.ts';
import { renew } from '../../api/query-client.ts';
import { sessionQuery, useSignedIn } from '../../api/session.ts';
import { useForm } from '../../api/use-form.ts';
import { fieldProblem } from '../../api/use-submit.ts';
import { signOut } from '../../app-shell/account-menu.tsx';
import * as entry from '../../app-shell/entry-page.words.ts';
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
import * as shared from './account.words.ts';
import { AccountTabs } from './account-tabs.tsx';
import * as words from './profile.words.ts';

export default function ProfilePage() {
  const { data, error, refetch } = useQuery(accountQuery);
  return (
    <Page title={shared.account} documentTitle={shared.profile} width="narrow">
      <AccountTabs />
      <Card title={shared.profile}>
        <ErrorPanel error={error} onRetry={() => void refetch()} />
        {data ? <ProfileForm account={data} /> : !error && <Skeleton lines={3} />}
      </Card>
      <Memberships />
      <Card title={words.theme} lead={words.themeLead}>
        <ThemeChoice />
      </Card>
      <div>
        <Button icon="sign-out" onClick={signOut}>
          {entry.signOut}
        </Button>
      </div>
    </Page>
  );
}

function ProfileForm({ account }: { account: Account }) {
  const form = useForm({ name: account.user.name ?? '' }, async ({ name }) => {
    if (name.trim() === '') throw fieldProblem('name', entry.nameMissing);
    await api.patch('/console/account', { name: name.trim() });
    toast(words.nameSaved);
    await Promise.all([refreshAccount(), renew(sessionQuery.queryKey)]);
  });
  return (
    <form className="stack" onSubmit={form.submit} noValidate>
      <ErrorPanel error={form.problem} />
      <TextField label={shared.name} name="name" autoComplete="name" {...form.field('name')} />
      <Facts
        of={{
          [entry.email]: (
            <>
              <InertText text={account.user.email} />
              <div className="soft small">{words.emailNote}</div>
            </>
          ),
        }}
      />
      <div className="button-row">
        <Button type="submit" tone="primary" busy={form.busy}>
          {shared.saveName}
        </Button>
      </div>
    </form>
  );
}

function Memberships() {
  const { memberships } = useSignedIn();
  return (
    <Card title={words.projects}>
      {memberships.length === 0 && <p className="soft">{words.noProjects}</p>}
      <ul className="list">
        {memberships.map(({ project_id, project_name, mode, role }) => (
          <li key={project_id} className="row apart">
            <span className="row">
              <InertText text={project_name} /> <ModeBadge mode={mode} />
            </span>
            <span className="soft">{words.roles[role]}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
