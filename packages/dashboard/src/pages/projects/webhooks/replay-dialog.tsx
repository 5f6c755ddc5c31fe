import { api, newIdempotencyKey } from '../../../api/client.ts';
import { renew } from '../../../api/query-client.ts';
import { serverOffsetMs } from '../../../api/server-time.ts';
import { useForm } from '../../../api/use-form.ts';
import { toast } from '../../../ui/announce.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { Select } from '../../../ui/select.tsx';
import { useProjectId } from '../project-frame/queries.ts';
import { type Replay, type Webhook, webhookPath, webhooksKey } from './queries.ts';
import * as words from './webhooks.words.ts';

const HOUR_MS = 3_600_000;
const TIME_RANGES = Object.entries(words.timeRanges).map(([value, label]) => ({ value, label }));

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
    toast(words.eventsQueued(queued));
    onClose();
    await renew(webhooksKey(projectId));
  });
  return (
    <FormDialog title={words.replayEvents} submitLabel={words.replayEvents} form={form} onClose={onClose}>
      <p>{words.replayMeans(<code>{'webhook-id'}</code>)}</p>
      <Select label={words.timeRange} options={TIME_RANGES} {...form.field('hours')} />
    </FormDialog>
  );
}
