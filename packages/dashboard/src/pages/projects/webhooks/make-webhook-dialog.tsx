import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, newIdempotencyKey } from '../../../api/client.ts';
import { exceptFields } from '../../../api/use-submit.ts';
import { toast } from '../../../ui/announce.tsx';
import { Dialog, FormDialog } from '../../../ui/dialog.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { NewSecret } from './new-secret.tsx';
import { type ShownWebhook, webhookPath, webhooksKey } from './queries.ts';
import { FORM_FIELDS, toSettings, type WebhookDraft, WebhookFields } from './webhook-form.tsx';

/** Makes a webhook and shows its secret. */
export function MakeWebhookDialog({ projectId, onClose }: { projectId: string; onClose: () => void }) {
  const [draft, setDraft] = useState<WebhookDraft>({ url: '', description: '', types: null });
  const queryClient = useQueryClient();
  const make = useMutation({
    mutationFn: (idempotencyKey: string) =>
      api.post<ShownWebhook>(webhookPath(projectId), toSettings(draft), { idempotencyKey }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: webhooksKey(projectId) }),
  });
  if (make.data) {
    // Neither Escape nor a press beside it loses what cannot be shown again.
    const stay = () => toast('Confirm you’ve saved the secret.', 'info');
    return (
      <Dialog open title="The secret of your webhook" width="wide" onClose={stay}>
        <NewSecret secret={make.data.secret} onDone={onClose} />
      </Dialog>
    );
  }
  return (
    <FormDialog
      title="New webhook"
      onClose={onClose}
      onSubmit={() => make.mutate(newIdempotencyKey())}
      submitLabel="Make the webhook"
      busy={make.isPending}
    >
      <div className="stack">
        <ErrorPanel error={exceptFields(make.error, ...FORM_FIELDS)} />
        <WebhookFields draft={draft} error={make.error} onChange={setDraft} />
      </div>
    </FormDialog>
  );
}
