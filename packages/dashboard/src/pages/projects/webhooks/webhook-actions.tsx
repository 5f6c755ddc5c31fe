import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { api, newIdempotencyKey } from '../../../api/client.ts';
import { useSubmit } from '../../../api/use-submit.ts';
import { toast } from '../../../ui/announce.tsx';
import { Button } from '../../../ui/button.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { ConfirmChange } from '../project-frame/confirm-change.tsx';
import { type Delivery, type Webhook, webhookPath, webhooksKey } from './queries.ts';
import { RotateSecretDialog } from './rotate-secret-dialog.tsx';

type Asked = 'rotate' | 'switch' | 'delete' | null;

export function WebhookActions({ projectId, webhook }: { projectId: string; webhook: Webhook }) {
  const [asked, setAsked] = useState<Asked>(null);
  const close = () => setAsked(null);
  return (
    <>
      {webhook.enabled && <TestButton projectId={projectId} webhook={webhook} />}
      <Button icon="key" onClick={() => setAsked('rotate')}>
        Rotate the secret
      </Button>
      <Button tone={webhook.enabled ? 'deny' : 'primary'} onClick={() => setAsked('switch')}>
        {webhook.enabled ? 'Disable' : 'Enable'}
      </Button>
      <Button tone="deny" icon="trash" onClick={() => setAsked('delete')}>
        Delete
      </Button>
      {asked === 'rotate' && <RotateSecretDialog projectId={projectId} webhook={webhook} onClose={close} />}
      {asked === 'switch' && <SwitchDialog projectId={projectId} webhook={webhook} onClose={close} />}
      {asked === 'delete' && <DeleteDialog projectId={projectId} webhook={webhook} onClose={close} />}
    </>
  );
}

function TestButton({ projectId, webhook }: { projectId: string; webhook: Webhook }) {
  const queryClient = useQueryClient();
  const { submit, busy, error } = useSubmit(async () => {
    const path = webhookPath(projectId, webhook.id, '/test');
    await api.post<Delivery>(path, {}, { idempotencyKey: newIdempotencyKey() });
    toast('A test event is on its way; how it went stands below.');
    await queryClient.invalidateQueries({ queryKey: [...webhooksKey(projectId), webhook.id] });
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
  projectId: string;
  webhook: Webhook;
  onClose: () => void;
}

function SwitchDialog({ projectId, webhook, onClose }: Asking) {
  const { enabled } = webhook;
  return (
    <ConfirmChange
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
    </ConfirmChange>
  );
}

function DeleteDialog({ projectId, webhook, onClose }: Asking) {
  const navigate = useNavigate();
  return (
    <ConfirmChange
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
    </ConfirmChange>
  );
}
