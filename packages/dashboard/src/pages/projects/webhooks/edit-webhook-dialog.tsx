import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { exceptFields, useSubmit } from '../../../api/use-submit.ts';
import { toast } from '../../../ui/announce.tsx';
import { FormDialog } from '../../../ui/dialog.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { type Webhook, webhookPath, webhooksKey } from './queries.ts';
import { FORM_FIELDS, toSettings, WebhookFields } from './webhook-form.tsx';

export function EditWebhookDialog({
  projectId,
  webhook,
  onClose,
}: {
  projectId: string;
  webhook: Webhook;
  onClose: () => void;
}) {
  const [draft, setDraft] = useState({
    url: webhook.url ?? '',
    description: webhook.description ?? '',
    types: webhook.event_types as readonly string[] | null,
  });
  const queryClient = useQueryClient();
  const { submit, busy, error } = useSubmit(async () => {
    await api.patch<Webhook>(webhookPath(projectId, webhook.id), toSettings(draft));
    toast('Saved.');
    onClose();
    await queryClient.invalidateQueries({ queryKey: webhooksKey(projectId) });
  });
  return (
    <FormDialog
      title="Edit the webhook"
      onClose={onClose}
      onSubmit={() => void submit()}
      submitLabel="Save"
      busy={busy}
    >
      <div className="stack">
        <ErrorPanel error={exceptFields(error, ...FORM_FIELDS)} />
        <WebhookFields draft={draft} error={error} onChange={setDraft} />
      </div>
    </FormDialog>
  );
}
