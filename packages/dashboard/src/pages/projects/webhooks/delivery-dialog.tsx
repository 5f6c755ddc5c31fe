import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api, newIdempotencyKey } from '../../../api/client.ts';
import { useSubmit } from '../../../api/use-submit.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { toast } from '../../../ui/announce.tsx';
import { Button } from '../../../ui/button.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { DateTime } from '../../../ui/time.tsx';
import { Waiting } from '../../../ui/waiting.tsx';
import { type Delivery, type DeliveryDetail, deliveryQuery, webhookPath, webhooksKey } from './queries.ts';
import { DeliveryState } from './webhook-state.tsx';

/** One delivery: how each attempt went, and what is sent. */
export function DeliveryDialog({
  projectId,
  delivery,
  mayReplay,
  onClose,
}: {
  projectId: string;
  delivery: Delivery;
  mayReplay: boolean;
  onClose: () => void;
}) {
  const { data, error, isPending } = useQuery(deliveryQuery(projectId, delivery));
  const queryClient = useQueryClient();
  const replay = useSubmit(async () => {
    const path = webhookPath(projectId, delivery.webhook_id, `/deliveries/${delivery.id}/replay`);
    await api.post<Delivery>(path, {}, { idempotencyKey: newIdempotencyKey() });
    toast('It is sent once more.');
    onClose();
    await queryClient.invalidateQueries({ queryKey: webhooksKey(projectId) });
  });
  const isDone = (data ?? delivery).state !== 'waiting';
  return (
    <Dialog
      open
      title={`Delivery of ${delivery.event_type}`}
      width="wide"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Close</Button>
          {mayReplay && isDone && (
            <Button tone="primary" busy={replay.busy} onClick={replay.submit}>
              Send once more
            </Button>
          )}
        </>
      }
    >
      <div className="stack">
        <ErrorPanel error={error ?? replay.error} />
        {isPending && <Waiting />}
        {data && <Facts delivery={data} />}
      </div>
    </Dialog>
  );
}

function Facts({ delivery }: { delivery: DeliveryDetail }) {
  return (
    <>
      <dl className="facts">
        <dt>State</dt>
        <dd>
          <DeliveryState state={delivery.state} />
        </dd>
        <dt>webhook-id</dt>
        <dd>
          <code>{delivery.event_id ?? delivery.id}</code>
        </dd>
        {delivery.state === 'waiting' && (
          <>
            <dt>Next attempt</dt>
            <dd>
              {delivery.next_attempt_at ? (
                <DateTime at={delivery.next_attempt_at} />
              ) : (
                'when an earlier one of its request is done'
              )}
            </dd>
          </>
        )}
      </dl>
      <h3>Attempts</h3>
      {delivery.attempt_log.length === 0 ? (
        <p className="soft">None yet.</p>
      ) : (
        <ol className="list">
          {delivery.attempt_log.map((attempt) => (
            <li key={attempt.at} className="stack tight">
              <span>
                <DateTime at={attempt.at} />, {attempt.duration_ms} ms:{' '}
                {attempt.error === null ? `taken (${attempt.status})` : <InertText text={attempt.error} />}
              </span>
              {attempt.response !== null && (
                <code className="small">
                  <InertText text={attempt.response} fold={300} />
                </code>
              )}
            </li>
          ))}
        </ol>
      )}
      {delivery.payload && (
        <CodeBlock
          title="What is sent"
          code={JSON.stringify(delivery.payload, null, 2)}
          what="the payload"
          wrap
        />
      )}
    </>
  );
}
