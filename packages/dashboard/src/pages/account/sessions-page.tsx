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
import * as shared from './account.words.ts';
import { AccountLine } from './account-line.tsx';
import { AccountTabs } from './account-tabs.tsx';
import * as words from './sessions.words.ts';

export default function SessionsPage() {
  const { data, error, refetch } = useQuery(sessionsQuery);
  const [asks, setAsks] = useState(false);
  const others = data?.data.filter(({ current }) => !current).length ?? 0;
  return (
    <Page title={shared.account} documentTitle={shared.sessions} width="narrow">
      <AccountTabs />
      <Card
        title={words.title}
        lead={words.lead}
        actions={others > 0 && <Button onClick={() => setAsks(true)}>{words.signOutOthers}</Button>}
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
          title={words.others.title}
          confirmLabel={words.others.confirm}
          change={() => api.post('/console/account/sessions/end-others')}
          done={words.others.done}
          touched={accountQuery.queryKey}
          onClose={() => setAsks(false)}
        >
          <p>{words.others.lead}</p>
        </ConfirmDialog>
      )}
    </Page>
  );
}

function SessionLine({ session }: { session: OwnSession }) {
  const { submit, busy, error } = useSubmit(async () => {
    await api.delete(`/console/account/sessions/${session.id}`);
    toast(words.signedOut);
    await refreshAccount();
  });
  const device = describeBrowser(session.user_agent ?? '');
  const method = words.signedInWith(session.methods.map((name) => words.methods[name] ?? name));
  return (
    <AccountLine
      icon="laptop"
      name={<span title={session.user_agent ?? undefined}>{device}</span>}
      badge={session.current && <Badge tone="good">{words.current}</Badge>}
      actions={
        !session.current && (
          <Button size="s" tone="quiet" busy={busy} onClick={submit}>
            {words.signOut}
            <span className="unseen"> {words.sessionOf(device)}</span>
          </Button>
        )
      }
    >
      <div className="soft small">
        {session.address ? words.signedInFrom(session.address, method) : method}
      </div>
      <div className="soft small">
        {words.signedIn(<DateTime at={session.created_at} />, <RelativeTime at={session.last_seen_at} />)}
      </div>
      <ErrorPanel error={error} />
    </AccountLine>
  );
}
