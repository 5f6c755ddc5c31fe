import { api, newIdempotencyKey } from '../../../api/client.ts';
import { renew } from '../../../api/query-client.ts';
import { useForm } from '../../../api/use-form.ts';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { useProjectId } from '../project-frame/queries.ts';
import { NewSecret } from './new-secret.tsx';
import { type ShownWebhook, webhookPath, webhooksKey } from './queries.ts';
import { draftOf, toSettings, WebhookFields } from './webhook-form.tsx';
import * as words from './webhooks.words.ts';

/** Creates a webhook and shows its secret. */
export function MakeWebhookDialog({ onClose }: { onClose: () => void }) {
  const projectId = useProjectId();
  const form = useForm(draftOf(), async (draft) => {
    const once = { idempotencyKey: newIdempotencyKey() };
    const made = await api.post<ShownWebhook>(webhookPath(projectId), toSettings(draft), once);
    await renew(webhooksKey(projectId));
    return made;
  });
  if (form.answer) {
    return <NewSecret title={words.newSecret.ofNewWebhook} secret={form.answer.secret} onDone={onClose} />;
  }
  return (
    <FormDialog title={words.create} submitLabel={words.create} form={form} onClose={onClose}>
      <WebhookFields form={form} />
    </FormDialog>
  );
}
