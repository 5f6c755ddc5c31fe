/** The person's ways to sign in: password, passkeys, second factor, identities elsewhere. */
import { useQuery } from '@tanstack/react-query';
import { accountQuery } from '../../api/account.ts';
import { ErrorPanel } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/waiting.tsx';
import * as shared from './account.words.ts';
import { AccountTabs } from './account-tabs.tsx';
import { BackToRequest } from './back-to-request.tsx';
import { DeviceKeysCard } from './device-keys-card.tsx';
import { IdentitiesCard } from './identities-card.tsx';
import { KeyFileCard } from './key-file-card.tsx';
import { PasskeysCard } from './passkeys-card.tsx';
import { PasswordCard } from './password-card.tsx';
import { SecondFactorCard } from './second-factor-card.tsx';

export default function SecurityPage() {
  const { data, error, refetch } = useQuery(accountQuery);
  return (
    <Page title={shared.account} documentTitle={shared.security} width="narrow">
      <AccountTabs />
      <ErrorPanel error={error} onRetry={() => void refetch()} />
      {data ? (
        <>
          <BackToRequest passkeys={data.passkeys.length} hasPassword={data.has_password} />
          <PasskeysCard passkeys={data.passkeys} />
          <DeviceKeysCard deviceKeys={data.device_keys} />
          {data.passkeys.length + data.device_keys.length > 0 && <KeyFileCard />}
          <PasswordCard hasPassword={data.has_password} email={data.user.email} />
          <SecondFactorCard totp={data.totp} codesLeft={data.recovery_codes_left} />
          <IdentitiesCard identities={data.identities} />
        </>
      ) : (
        !error && <Skeleton lines={8} />
      )}
    </Page>
  );
}
