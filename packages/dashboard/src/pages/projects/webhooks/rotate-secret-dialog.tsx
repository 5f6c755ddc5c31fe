import { api, newIdempotencyKey } from '../../../api/client.ts';
import { renew } from '../../../api/query-client.ts';
import { useForm } from '../../../api/use-form.ts';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { Select } from '../../../ui/select.tsx';
import { useProjectId } from '../project-frame/queries.ts';
import { NewSecret } from './new-secret.tsx';
import { type ShownWebhook, type Webhook, webhookPath, webhooksKey } from './queries.ts';
import * as words from './webhooks.words.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
const OVERLAPS = [DAY, 7 * DAY, HOUR, 0].map((seconds) => ({
  value: `${seconds}`,
  label: words.overlap(seconds),
}));

/** Creates a new secret and shows it. */
export function RotateSecretDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const projectId = useProjectId();
  const form = useForm({ overlap: `${DAY}` }, async ({ overlap }) => {
    const path = webhookPath(projectId, webhook.id, '/rotate-secret');
    const once = { idempotencyKey: newIdempotencyKey() };
    const made = await api.post<ShownWebhook>(path, { overlap_seconds: Number(overlap) }, once);
    await renew(webhooksKey(projectId));
    return made;
  });
  if (form.answer)
    return <NewSecret title={words.newSecret.rotated} secret={form.answer.secret} onDone={onClose} />;
  return (
    <FormDialog title={words.rotateTitle} submitLabel={words.rotate} form={form} onClose={onClose}>
      <p>{words.rotateConsequence}</p>
      <Select label={words.keepOldSecret} options={OVERLAPS} {...form.field('overlap')} />
    </FormDialog>
  );
}
