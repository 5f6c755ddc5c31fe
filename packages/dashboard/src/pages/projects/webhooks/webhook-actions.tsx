import { useState } from 'react';
import { useNavigate } from 'react-router';
import { api, newIdempotencyKey } from '../../../api/client.ts';
import { renew } from '../../../api/query-client.ts';
import { useSubmit } from '../../../api/use-submit.ts';
import { toast } from '../../../ui/announce.tsx';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/form-dialog.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { useProjectId } from '../project-frame/queries.ts';
import { type Delivery, type Webhook, webhookPath, webhooksKey } from './queries.ts';
import { RotateSecretDialog } from './rotate-secret-dialog.tsx';

type Asked = 'rotate' | 'switch' | 'delete' | null;

export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const [asked, setAsked] = useState<Asked>(null);
  const close = () => setAsked(null);
  return (
    <>
      {webhook.enabled && <TestButton webhook={webhook} />}
      <Button icon="key" onClick={() => setAsked('rotate')}>
        Rotate the secret
      </Button>
      <Button tone={webhook.enabled ? 'deny' : 'primary'} onClick={() => setAsked('switch')}>
        {webhook.enabled ? 'Disable' : 'Enable'}
      </Button>
      <Button tone="deny" icon="trash" onClick={() => setAsked('delete')}>
        Delete
      </Button>
      {asked === 'rotate' && <RotateSecretDialog webhook={webhook} onClose={close} />}
      {asked === 'switch' && <SwitchDialog webhook={webhook} onClose={close} />}
      {asked === 'delete' && <DeleteDialog webhook={webhook} onClose={close} />}
    </>
  );
}

function TestButton({ webhook }: { webhook: Webhook }) {
  const projectId = useProjectId();
  const { submit, busy, error } = useSubmit(async () => {
    const path = webhookPath(projectId, webhook.id, '/test');
    await api.post<Delivery>(path, {}, { idempotencyKey: newIdempotencyKey() });
    toast('A test event is on its way; how it went stands below.');
    await renew([...webhooksKey(projectId), webhook.id]);
  });
  return (
    <>
      <ErrorPanel error={error} />
      <Button busy={busy} onClick={submit}>
        Send a test
      </Button>
    </>
  );
}

interface Asking {
  webhook: Webhook;
  onClose: () => void;
}

function SwitchDialog({ webhook, onClose }: Asking) {
  const projectId = useProjectId();
  const { enabled } = webhook;
  return (
    <ConfirmDialog
      title={enabled ? 'Disable this webhook?' : 'Enable this webhook?'}
      confirmLabel={enabled ? 'Disable the webhook' : 'Enable the webhook'}
      change={() => api.patch(webhookPath(projectId, webhook.id), { enabled: !enabled })}
      done={enabled ? 'Nothing is sent there any more.' : 'What happens from now on is sent there.'}
      touched={webhooksKey(projectId)}
      onClose={onClose}
    >
      <p>
        {enabled
          ? 'Nothing is kept for it while it is disabled, and what waits is given up. What it missed can be replayed later.'
          : 'What happens from now on is sent there. What it missed is not sent by itself: replay it.'}
      </p>
    </ConfirmDialog>
  );
}

function DeleteDialog({ webhook, onClose }: Asking) {
  const projectId = useProjectId();
  const navigate = useNavigate();
  return (
    <ConfirmDialog
      title="Delete this webhook?"
      confirmLabel="Delete the webhook"
      change={async () => {
        await api.delete(webhookPath(projectId, webhook.id));
        await navigate(`/projects/${projectId}/webhooks`);
      }}
      done="Deleted the webhook."
      touched={webhooksKey(projectId)}
      onClose={onClose}
    >
      <p>With its secret, what waits for it, and what is known of its deliveries, for good.</p>
    </ConfirmDialog>
  );
}
