import { api } from '../../../api/client.ts';
import { renew } from '../../../api/query-client.ts';
import { useForm } from '../../../api/use-form.ts';
import { toast } from '../../../ui/announce.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { useProjectId } from '../project-frame/queries.ts';
import { type Webhook, webhookPath, webhooksKey } from './queries.ts';
import { draftOf, toSettings, WebhookFields } from './webhook-form.tsx';
import * as words from './webhooks.words.ts';

export function EditWebhookDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const projectId = useProjectId();
  const form = useForm(draftOf(webhook), async (draft) => {
    await api.patch<Webhook>(webhookPath(projectId, webhook.id), toSettings(draft));
    toast(words.saved);
    onClose();
    await renew(webhooksKey(projectId));
  });
  return (
    <FormDialog title={words.edit} submitLabel={words.save} form={form} onClose={onClose}>
      <WebhookFields form={form} />
    </FormDialog>
  );
}
