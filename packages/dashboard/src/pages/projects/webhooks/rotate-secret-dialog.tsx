import { api, newIdempotencyKey } from '../../../api/client.ts';
import { renew } from '../../../api/query-client.ts';
import { useForm } from '../../../api/use-form.ts';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { Select } from '../../../ui/select.tsx';
import { useProjectId } from '../project-frame/queries.ts';
import { NewSecret } from './new-secret.tsx';
import { type ShownWebhook, type Webhook, webhookPath, webhooksKey } from './queries.ts';

const OVERLAPS = [
  { value: '86400', label: 'for a day' },
  { value: '604800', label: 'for a week' },
  { value: '3600', label: 'for an hour' },
  { value: '0', label: 'not at all: it may be known to others' },
];

/** Creates a new secret and shows it. */
export function RotateSecretDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const projectId = useProjectId();
  const form = useForm({ overlap: '86400' }, async ({ overlap }) => {
    const path = webhookPath(projectId, webhook.id, '/rotate-secret');
    const once = { idempotencyKey: newIdempotencyKey() };
    const made = await api.post<ShownWebhook>(path, { overlap_seconds: Number(overlap) }, once);
    await renew(webhooksKey(projectId));
    return made;
  });
  if (form.answer) return <NewSecret title="The new secret" secret={form.answer.secret} onDone={onClose} />;
  return (
    <FormDialog title="Rotate the secret?" submitLabel="Make a new secret" form={form} onClose={onClose}>
      <p>Everything is signed with the new one at once. Change the receiver while both are good.</p>
      <Select label="The old one goes on" options={OVERLAPS} {...form.field('overlap')} />
    </FormDialog>
  );
}
