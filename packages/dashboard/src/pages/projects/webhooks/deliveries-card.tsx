import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { Button } from '../../../ui/button.tsx';
import { Listing } from '../../../ui/listing.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { Table } from '../../../ui/table.tsx';
import { RelativeTime } from '../../../ui/time.tsx';
import { useProjectId } from '../project-frame/queries.ts';
import { DeliveryDialog } from './delivery-dialog.tsx';
import { type Delivery, deliveriesQuery, type Webhook } from './queries.ts';
import { ReplayDialog } from './replay-dialog.tsx';
import { DeliveryState } from './webhook-state.tsx';
import * as words from './webhooks.words.ts';

const STATES = [
  { value: '', label: words.anyState },
  { value: 'waiting', label: words.deliveryStates.waiting },
  { value: 'delivered', label: words.deliveryStates.delivered },
  { value: 'failed', label: words.deliveryStates.failed },
];

/** Past and queued deliveries, newest first. */
export function DeliveriesCard({ webhook }: { webhook: Webhook }) {
  const [state, setState] = useState('');
  const [shown, setShown] = useState<Delivery | null>(null);
  const [isReplaying, setReplaying] = useState(false);
  const query = useInfiniteQuery(deliveriesQuery(useProjectId(), webhook.id, state));
  const deliveries = query.data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <section className="stack tight">
      <div className="row apart">
        <h2>{words.deliveries}</h2>
        {webhook.enabled && (
          <Button icon="history" onClick={() => setReplaying(true)}>
            {words.replayEvents}
          </Button>
        )}
      </div>
      <Segmented legend={words.stateFilter} options={STATES} value={state} onChange={setState} />
      <Listing
        query={query}
        count={deliveries.length}
        empty={{ icon: 'webhook', ...(state === '' ? words.noDeliveries : words.noMatch) }}
      >
        <Table
          caption={words.deliveryList}
          rows={deliveries}
          columns={{
            [words.columns.event]: ({ event_type, kind }) => (
              <>
                {event_type} {kind === 'replay' && <span className="soft small">{words.replayed}</span>}
              </>
            ),
            [words.columns.state]: (delivery) => <DeliveryState state={delivery.state} />,
            [words.columns.request]: ({ intent_id: id }) =>
              id === null ? (
                <span className="soft">{words.none}</span>
              ) : (
                <Link to={`/approve/${id}`} aria-label={words.requestNamed(id.slice(-6))}>
                  <code>…{id.slice(-6)}</code>
                </Link>
              ),
            [words.columns.created]: ({ created_at: at }) => <RelativeTime at={at} />,
            [words.columns.lastResponse]: (delivery) => <LastResponse delivery={delivery} />,
          }}
          actions={(delivery) => (
            <Button
              size="s"
              aria-label={words.viewDetailsOf(delivery.event_type, delivery.id)}
              onClick={() => setShown(delivery)}
            >
              {words.viewDetails}
            </Button>
          )}
        />
      </Listing>
      {shown && (
        <DeliveryDialog delivery={shown} mayReplay={webhook.enabled} onClose={() => setShown(null)} />
      )}
      {isReplaying && <ReplayDialog webhook={webhook} onClose={() => setReplaying(false)} />}
    </section>
  );
}

function LastResponse({ delivery }: { delivery: Delivery }) {
  const { last_status: status, last_error: error, attempts } = delivery;
  if (attempts === 0 && error === null) return <span className="soft">{words.notSent}</span>;
  return error === null ? String(status) : <InertText text={error} />;
}
