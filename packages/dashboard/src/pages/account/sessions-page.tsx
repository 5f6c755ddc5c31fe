/** Where the person is signed in, with a way to end each session. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { accountQuery, type OwnSession, refreshAccount, sessionsQuery } from '../../api/account.ts';
import { api } from '../../api/client.ts';
import { describeBrowser } from '../../api/describe-browser.ts';
import { useSubmit } from '../../api/use-submit.ts';
import { toast } from '../../ui/announce.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/form-dialog.tsx';
import { ErrorPanel } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { DateTime, RelativeTime } from '../../ui/time.tsx';
import { Skeleton } from '../../ui/waiting.tsx';
import { AccountLine } from './account-line.tsx';
import { AccountTabs } from './account-tabs.tsx';

const METHODS: Readonly<Record<string, string>> = {
  password: 'password',
  totp: 'authenticator app',
  recovery_code: 'recovery code',
  passkey: 'passkey',
  oidc: 'your provider',
  link: 'one-time link',
};

export default function SessionsPage() {
  const { data, error, refetch } = useQuery(sessionsQuery);
  const [asks, setAsks] = useState(false);
  const others = data?.data.filter(({ current }) => !current).length ?? 0;
  return (
    <Page title="Account" documentTitle="Sessions" width="narrow">
      <AccountTabs />
      <Card
        title="Where you are signed in"
        lead="A session ends after 12 hours without use, and after a week in any case. One more than twenty ends the one unused for longest."
        actions={others > 0 && <Button onClick={() => setAsks(true)}>Sign out everywhere else</Button>}
      >
        <ErrorPanel error={error} onRetry={() => void refetch()} />
        {!data && !error && <Skeleton lines={4} />}
        <ul className="list">
          {data?.data.map((session) => (
            <SessionLine key={session.id} session={session} />
          ))}
        </ul>
      </Card>
      {asks && (
        <ConfirmDialog
          title="Sign out everywhere else?"
          confirmLabel="Sign out there"
          change={() => api.post('/console/account/sessions/end-others')}
          done="You are signed out everywhere else."
          touched={accountQuery.queryKey}
          onClose={() => setAsks(false)}
        >
          <p>You stay signed in here, and sign in again everywhere else.</p>
        </ConfirmDialog>
      )}
    </Page>
  );
}

function SessionLine({ session }: { session: OwnSession }) {
  const { submit, busy, error } = useSubmit(async () => {
    await api.delete(`/console/account/sessions/${session.id}`);
    toast('The session has ended.');
    await refreshAccount();
  });
  const device = describeBrowser(session.user_agent ?? '');
  return (
    <AccountLine
      icon="laptop"
      name={<span title={session.user_agent ?? undefined}>{device}</span>}
      badge={session.current && <Badge tone="good">this one</Badge>}
      actions={
        !session.current && (
          <Button size="s" tone="quiet" busy={busy} onClick={submit}>
            End
            <span className="unseen"> the session of {device}</span>
          </Button>
        )
      }
    >
      <div className="soft small">
        {session.address && <>{session.address}, </>}
        with {session.methods.map((method) => METHODS[method] ?? method).join(' and ')}
      </div>
      <div className="soft small">
        Signed in <DateTime at={session.created_at} />, last seen <RelativeTime at={session.last_seen_at} />
      </div>
      <ErrorPanel error={error} />
    </AccountLine>
  );
}
