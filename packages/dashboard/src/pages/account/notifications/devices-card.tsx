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
import { AccountLine, LineButton, SinceAndLast } from '../account-line.tsx';
import { type Device, notificationsQuery, pushStateQuery } from './queries.ts';

/** Devices and browsers that show pending requests, also while the dashboard is closed. */
export function DevicesCard({ devices, pushKey }: { devices: readonly Device[]; pushKey: string }) {
  const { data: here } = useQuery(pushStateQuery);
  const [removing, setRemoving] = useState<Device | null>(null);
  const own = devices.find(({ endpoint_hash }) => endpoint_hash === here?.endpointHash);
  const remove = async (device: Device) => {
    if (device.id === own?.id) await unsubscribe();
    await api.delete(`/console/account/push-subscriptions/${device.id}`);
  };
  return (
    <Card
      title="Push messages"
      lead="A device shows what waits for you, also while these pages are closed. A message only opens the page: nothing is decided by it."
    >
      <div className="stack">
        {here && (own ? null : <ThisBrowser state={here.state} pushKey={pushKey} />)}
        {devices.length > 0 && (
          <ul className="list">
            {devices.map((device) => (
              <AccountLine
                key={device.id}
                icon="bell"
                name={<InertText text={device.label} />}
                badge={device.id === own?.id && <Badge tone="info">this browser</Badge>}
                actions={<LineButton does="Remove" of={device.label} onClick={() => setRemoving(device)} />}
              >
                <SinceAndLast
                  since="Since"
                  at={device.created_at}
                  last="last message"
                  lastAt={device.last_sent_at}
                  notYet="no message yet"
                />
              </AccountLine>
            ))}
          </ul>
        )}
      </div>
      {removing && (
        <ConfirmDialog
          title="Remove this device?"
          confirmLabel="Remove"
          change={() => remove(removing)}
          done="The device is removed."
          touched={notificationsQuery.queryKey}
          onClose={() => setRemoving(null)}
        >
          <p>
            <InertText text={removing.label} /> gets no more push messages.
          </p>
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
      toast('This browser shows what waits for you from now on.', 'good');
    }
    await renew(notificationsQuery.queryKey);
  });
  if (state === 'unsupported') {
    return (
      <Notice>
        This browser takes no push messages here. They need HTTPS, and a window that is not private.
      </Notice>
    );
  }
  if (state === 'install') {
    return (
      <Notice title="Put Permitry on your home screen first">
        <p>
          An iPhone or iPad shows push messages only of apps on its home screen. In Safari choose Share, then
          “Add to Home Screen”; open Permitry from there, and come back to this page.
        </p>
      </Notice>
    );
  }
  if (state === 'blocked') {
    return (
      <Notice tone="warn">
        Messages of this address are blocked in this browser. Allow notifications in its settings for this
        site, then load the page again.
      </Notice>
    );
  }
  return (
    <div className="stack tight">
      <ErrorPanel error={error} title="This browser could not be added" />
      <div className="button-row">
        <Button tone="primary" icon="bell" busy={busy} onClick={submit}>
          Turn on for this browser
        </Button>
      </div>
    </div>
  );
}
