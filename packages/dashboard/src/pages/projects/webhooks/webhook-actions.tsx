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
import * as words from './webhooks.words.ts';

type Asked = 'rotate' | 'switch' | 'delete' | null;

export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const [asked, setAsked] = useState<Asked>(null);
  const close = () => setAsked(null);
  return (
    <>
      {webhook.enabled && <TestButton webhook={webhook} />}
      <Button icon="key" onClick={() => setAsked('rotate')}>
        {words.rotate}
      </Button>
      <Button tone={webhook.enabled ? 'deny' : 'primary'} onClick={() => setAsked('switch')}>
        {webhook.enabled ? words.disable.confirm : words.enable.confirm}
      </Button>
      <Button tone="deny" icon="trash" onClick={() => setAsked('delete')}>
        {words.remove.confirm}
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
    toast(words.testQueued);
    await renew([...webhooksKey(projectId), webhook.id]);
  });
  return (
    <>
      <ErrorPanel error={error} />
      <Button busy={busy} onClick={submit}>
        {words.sendTest}
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
  const { title, confirm, done, consequence } = enabled ? words.disable : words.enable;
  return (
    <ConfirmDialog
      title={title}
      confirmLabel={confirm}
      change={() => api.patch(webhookPath(projectId, webhook.id), { enabled: !enabled })}
      done={done}
      touched={webhooksKey(projectId)}
      onClose={onClose}
    >
      <p>{consequence}</p>
    </ConfirmDialog>
  );
}

function DeleteDialog({ webhook, onClose }: Asking) {
  const projectId = useProjectId();
  const navigate = useNavigate();
  return (
    <ConfirmDialog
      title={words.remove.title}
      confirmLabel={words.remove.confirm}
      change={async () => {
        await api.delete(webhookPath(projectId, webhook.id));
        await navigate(`/projects/${projectId}/webhooks`);
      }}
      done={words.remove.done}
      touched={webhooksKey(projectId)}
      onClose={onClose}
    >
      <p>{words.remove.consequence}</p>
    </ConfirmDialog>
  );
}
