import { useQuery } from '@tanstack/react-query';
import { api, newIdempotencyKey } from '../../../api/client.ts';
import { renew } from '../../../api/query-client.ts';
import { useSubmit } from '../../../api/use-submit.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { toast } from '../../../ui/announce.tsx';
import { Button } from '../../../ui/button.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { DateTime } from '../../../ui/time.tsx';
import { Waiting } from '../../../ui/waiting.tsx';
import { useProjectId } from '../project-frame/queries.ts';
import { type Delivery, type DeliveryDetail, deliveryQuery, webhookPath, webhooksKey } from './queries.ts';
import { DeliveryState } from './webhook-state.tsx';
import * as words from './webhooks.words.ts';

/** One delivery: the result of each attempt, and the payload. */
export function DeliveryDialog({
  delivery,
  mayReplay,
  onClose,
}: {
  delivery: Delivery;
  mayReplay: boolean;
  onClose: () => void;
}) {
  const projectId = useProjectId();
  const { data, error, isPending } = useQuery(deliveryQuery(projectId, delivery));
  const replay = useSubmit(async () => {
    const path = webhookPath(projectId, delivery.webhook_id, `/deliveries/${delivery.id}/replay`);
    await api.post<Delivery>(path, {}, { idempotencyKey: newIdempotencyKey() });
    toast(words.replayQueued);
    onClose();
    await renew(webhooksKey(projectId));
  });
  const isDone = (data ?? delivery).state !== 'waiting';
  return (
    <Dialog
      open
      title={words.deliveryOf(delivery.event_type)}
      width="wide"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{words.close}</Button>
          {mayReplay && isDone && (
            <Button tone="primary" busy={replay.busy} onClick={replay.submit}>
              {words.replayDelivery}
            </Button>
          )}
        </>
      }
    >
      <ErrorPanel error={error ?? replay.error} />
      {isPending && <Waiting />}
      {data && <Contents delivery={data} />}
    </Dialog>
  );
}

function Contents({ delivery }: { delivery: DeliveryDetail }) {
  const { state, next_attempt_at: next } = delivery;
  return (
    <>
      <Facts
        of={{
          [words.properties.state]: <DeliveryState state={state} />,
          'webhook-id': <code>{delivery.event_id ?? delivery.id}</code>,
          [words.nextAttempt]: state === 'waiting' && (next ? <DateTime at={next} /> : words.afterEarlier),
        }}
      />
      <h3>{words.attempts}</h3>
      {delivery.attempt_log.length === 0 ? (
        <p className="soft">{words.noAttempts}</p>
      ) : (
        <ol className="list">
          {delivery.attempt_log.map((attempt) => (
            <li key={attempt.at} className="stack tight">
              <span>
                {words.attempt(
                  <DateTime at={attempt.at} />,
                  attempt.duration_ms,
                  attempt.error === null ? (
                    words.delivered(attempt.status)
                  ) : (
                    <InertText text={attempt.error} />
                  ),
                )}
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
          title={words.payload}
          code={JSON.stringify(delivery.payload, null, 2)}
          what={words.thePayload}
          wrap
        />
      )}
    </>
  );
}
