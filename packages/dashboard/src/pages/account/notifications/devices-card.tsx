import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { useSubmit } from '../../../api/use-submit.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { type PushState, subscribe, suggestDeviceName, unsubscribe } from '../../../push/this-browser.ts';
import { toast } from '../../../ui/announce.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { ErrorPanel, Notice } from '../../../ui/notice.tsx';
import { DateTime, RelativeTime } from '../../../ui/time.tsx';
import { type Device, notificationsQuery, pushStateQuery } from './queries.ts';

/** Devices and browsers that show what waits, also while these pages are closed. */
export function DevicesCard({ devices, pushKey }: { devices: readonly Device[]; pushKey: string }) {
  const { data: here } = useQuery(pushStateQuery);
  const [removing, setRemoving] = useState<Device | null>(null);
  const refresh = useRefresh();
  const own = devices.find(({ endpoint_hash }) => endpoint_hash === here?.endpointHash);
  const remove = useSubmit(async () => {
    if (!removing) return;
    if (removing.id === own?.id) await unsubscribe();
    await api.delete(`/console/account/push-subscriptions/${removing.id}`);
    setRemoving(null);
    toast('The device is removed.');
    await refresh();
  });
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
              <li key={device.id} className="account-line">
                <Icon name="bell" size={20} />
                <div>
                  <div className="row">
                    <strong>
                      <InertText text={device.label} />
                    </strong>
                    {device.id === own?.id && <Badge tone="info">this browser</Badge>}
                  </div>
                  <div className="soft small">
                    Since <DateTime at={device.created_at} />,{' '}
                    {device.last_sent_at ? (
                      <>
                        last message <RelativeTime at={device.last_sent_at} />
                      </>
                    ) : (
                      'no message yet'
                    )}
                  </div>
                </div>
                <div className="button-row">
                  <Button size="s" tone="quiet" onClick={() => setRemoving(device)}>
                    Remove
                    <span className="unseen"> {device.label}</span>
                  </Button>
                </div>
              </li>
            ))}
          </ul>
        )}
      </div>
      <ConfirmDialog
        open={removing !== null}
        title="Remove this device?"
        confirmLabel="Remove"
        busy={remove.busy}
        onConfirm={remove.submit}
        onCancel={() => setRemoving(null)}
      >
        <ErrorPanel error={remove.error} />
        <p>
          <InertText text={removing?.label ?? ''} /> gets no more push messages.
        </p>
      </ConfirmDialog>
    </Card>
  );
}

/** Asks for nothing before the button was pressed. */
function ThisBrowser({ state, pushKey }: { state: PushState; pushKey: string }) {
  const refresh = useRefresh();
  const { submit, busy, error } = useSubmit(async () => {
    const subscription = await subscribe(pushKey);
    if (subscription) {
      await api.post('/console/account/push-subscriptions', { label: suggestDeviceName(), ...subscription });
      toast('This browser shows what waits for you from now on.', 'good');
    }
    await refresh();
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

function useRefresh(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: notificationsQuery.queryKey });
}
