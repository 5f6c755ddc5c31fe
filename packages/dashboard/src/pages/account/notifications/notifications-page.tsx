import { useQuery } from '@tanstack/react-query';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { Page } from '../../../ui/page.tsx';
import { Waiting } from '../../../ui/waiting.tsx';
import { AccountTabs } from '../account-tabs.tsx';
import { DevicesCard } from './devices-card.tsx';
import './notifications.css';
import * as shared from '../account.words.ts';
import { PreferencesForm } from './preferences-form.tsx';
import { notificationsQuery } from './queries.ts';
import { TestCard } from './test-card.tsx';

/** Notifications outside the dashboard: which kinds, and where. */
export default function NotificationsPage() {
  const { data, error, refetch } = useQuery(notificationsQuery);
  return (
    <Page title={shared.account} documentTitle={shared.notifications} width="narrow">
      <AccountTabs />
      <ErrorPanel error={error} onRetry={() => void refetch()} />
      {data ? (
        <>
          <DevicesCard devices={data.devices} pushKey={data.push_key} />
          <PreferencesForm preferences={data.preferences} mailConfigured={data.mail_configured} />
          <TestCard mailConfigured={data.mail_configured} devices={data.devices.length} />
        </>
      ) : (
        !error && <Waiting />
      )}
    </Page>
  );
}
