import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { describeBrowser } from '../../../api/describe-browser.ts';
import { renew } from '../../../api/query-client.ts';
import { useSubmit } from '../../../api/use-submit.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { type PushState, subscribe, unsubscribe } from '../../../push/this-browser.ts';
import { toast } from '../../../ui/announce.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDialog } from '../../../ui/form-dialog.tsx';
import { ErrorPanel, Notice } from '../../../ui/notice.tsx';
import { remove } from '../account.words.ts';
import { AccountLine, AddedAndLast, LineButton } from '../account-line.tsx';
import * as words from './notifications.words.ts';
import { type Device, notificationsQuery, pushStateQuery } from './queries.ts';

/** Devices and browsers that show pending requests, also while the dashboard is closed. */
export function DevicesCard({ devices, pushKey }: { devices: readonly Device[]; pushKey: string }) {
  const { data: here } = useQuery(pushStateQuery);
  const [removing, setRemoving] = useState<Device | null>(null);
  const own = devices.find(({ endpoint_hash }) => endpoint_hash === here?.endpointHash);
  const removeDevice = async (device: Device) => {
    if (device.id === own?.id) await unsubscribe();
    await api.delete(`/console/account/push-subscriptions/${device.id}`);
  };
  return (
    <Card title={words.push} lead={words.pushLead}>
      <div className="stack">
        {here && (own ? null : <ThisBrowser state={here.state} pushKey={pushKey} />)}
        {devices.length > 0 && (
          <ul className="list">
            {devices.map((device) => (
              <AccountLine
                key={device.id}
                icon="bell"
                name={<InertText text={device.label} />}
                badge={device.id === own?.id && <Badge tone="info">{words.thisBrowser}</Badge>}
                actions={<LineButton does={remove} of={device.label} onClick={() => setRemoving(device)} />}
              >
                <AddedAndLast
                  at={device.created_at}
                  lastAt={device.last_sent_at}
                  last={words.lastSent}
                  notYet={words.notSent}
                />
              </AccountLine>
            ))}
          </ul>
        )}
      </div>
      {removing && (
        <ConfirmDialog
          title={words.removeDevice.title}
          confirmLabel={words.removeDevice.confirm}
          change={() => removeDevice(removing)}
          done={words.removeDevice.done}
          touched={notificationsQuery.queryKey}
          onClose={() => setRemoving(null)}
        >
          <p>{words.removeDeviceConsequence(<InertText text={removing.label} />)}</p>
        </ConfirmDialog>
      )}
    </Card>
  );
}

/** Asks for permission only after the person presses the button. */
function ThisBrowser({ state, pushKey }: { state: PushState; pushKey: string }) {
  const { submit, busy, error } = useSubmit(async () => {
    const subscription = await subscribe(pushKey);
    if (subscription) {
      await api.post('/console/account/push-subscriptions', {
        label: describeBrowser(navigator.userAgent),
        ...subscription,
      });
      toast(words.turnedOn);
    }
    await renew(notificationsQuery.queryKey);
  });
  if (state === 'unsupported') {
    return <Notice>{words.unsupported}</Notice>;
  }
  if (state === 'install') {
    return (
      <Notice title={words.install}>
        <p>{words.installLead}</p>
      </Notice>
    );
  }
  if (state === 'blocked') {
    return <Notice tone="warn">{words.blocked}</Notice>;
  }
  return (
    <div className="stack tight">
      <ErrorPanel error={error} title={words.notTurnedOn} />
      <div className="button-row">
        <Button tone="primary" icon="bell" busy={busy} onClick={submit}>
          {words.turnOn}
        </Button>
      </div>
    </div>
  );
}
