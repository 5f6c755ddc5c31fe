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

const STATES = [
  { value: '', label: 'All' },
  { value: 'waiting', label: 'Waiting' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'failed', label: 'Failed' },
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
        <h2>Deliveries</h2>
        {webhook.enabled && (
          <Button icon="history" onClick={() => setReplaying(true)}>
            Replay
          </Button>
        )}
      </div>
      <Segmented legend="Which deliveries" options={STATES} value={state} onChange={setState} />
      <Listing
        query={query}
        count={deliveries.length}
        empty={{
          icon: 'webhook',
          title: 'No deliveries',
          lead:
            state === ''
              ? 'Nothing happened yet that is sent there. Send a test to see that it is taken.'
              : 'None is in this state.',
        }}
      >
        <Table
          caption="Deliveries of the webhook"
          rows={deliveries}
          columns={{
            Event: ({ event_type, kind }) => (
              <>
                {event_type} {kind === 'replay' && <span className="soft small">replayed</span>}
              </>
            ),
            State: (delivery) => <DeliveryState state={delivery.state} />,
            Request: ({ intent_id: id }) =>
              id === null ? (
                <span className="soft">none</span>
              ) : (
                <Link to={`/approve/${id}`} aria-label={`Request …${id.slice(-6)}`}>
                  <code>…{id.slice(-6)}</code>
                </Link>
              ),
            Since: ({ created_at: at }) => <RelativeTime at={at} />,
            'Last answer': (delivery) => <LastAnswer delivery={delivery} />,
          }}
          actions={(delivery) => (
            <Button
              size="s"
              aria-label={`Details of ${delivery.event_type}, ${delivery.id}`}
              onClick={() => setShown(delivery)}
            >
              Details
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

function LastAnswer({ delivery }: { delivery: Delivery }) {
  const { last_status: status, last_error: error, attempts } = delivery;
  if (attempts === 0 && error === null) return <span className="soft">not tried yet</span>;
  return error === null ? String(status) : <InertText text={error} />;
}
