import { api, newIdempotencyKey } from '../../../api/client.ts';
import { renew } from '../../../api/query-client.ts';
import { serverOffsetMs } from '../../../api/server-time.ts';
import { useForm } from '../../../api/use-form.ts';
import { toast } from '../../../ui/announce.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { Select } from '../../../ui/select.tsx';
import { useProjectId } from '../project-frame/queries.ts';
import { type Replay, type Webhook, webhookPath, webhooksKey } from './queries.ts';

const HOUR_MS = 3_600_000;
const STRETCHES = [
  { value: '1', label: 'of the last hour' },
  { value: '24', label: 'of the last day' },
  { value: '168', label: 'of the last week' },
  { value: '720', label: 'of the last 30 days' },
];

/** Replays a range of the log, call by call, until all of it is queued. */
export function ReplayDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const projectId = useProjectId();
  const form = useForm({ hours: '24' }, async ({ hours }) => {
    const path = webhookPath(projectId, webhook.id, '/replay');
    const from = new Date(Date.now() + serverOffsetMs() - Number(hours) * HOUR_MS).toISOString();
    let queued = 0;
    let after: number | null = null;
    do {
      const body: object = after === null ? { from } : { from, after_seq: after };
      const part: Replay = await api.post(path, body, { idempotencyKey: newIdempotencyKey() });
      queued += part.queued;
      after = part.next_after_seq;
    } while (after !== null);
    const sent = queued === 1 ? '1 event is sent' : `${queued} events are sent`;
    toast(queued === 0 ? 'Nothing happened then that is sent there.' : `${sent} once more.`);
    onClose();
    await renew(webhooksKey(projectId));
  });
  return (
    <FormDialog title="Send events once more" submitLabel="Replay" form={form} onClose={onClose}>
      <p>
        Also what the webhook missed. Each comes under the <code>webhook-id</code> it had, so a receiver that
        took it knows.
      </p>
      <Select label="Events" options={STRETCHES} {...form.field('hours')} />
    </FormDialog>
  );
}
