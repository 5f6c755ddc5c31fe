import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Segmented } from '../../../ui/checkbox.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { Pager } from '../../../ui/pager.tsx';
import { type Column, Table } from '../../../ui/table.tsx';
import { RelativeTime } from '../../../ui/time.tsx';
import { Waiting } from '../../../ui/waiting.tsx';
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

/** What was and is to be sent, newest first. */
export function DeliveriesCard({ projectId, webhook }: { projectId: string; webhook: Webhook }) {
  const [state, setState] = useState('');
  const [shown, setShown] = useState<Delivery | null>(null);
  const [isReplaying, setReplaying] = useState(false);
  const query = useInfiniteQuery(deliveriesQuery(projectId, webhook.id, state));
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
      <ErrorPanel error={query.error} onRetry={query.refetch} />
      {query.isPending && <Waiting />}
      {query.data && deliveries.length === 0 && (
        <Card>
          <EmptyState
            icon="webhook"
            title="No deliveries"
            lead={
              state === ''
                ? 'Nothing happened yet that is sent there. Send a test to see that it is taken.'
                : 'None is in this state.'
            }
          />
        </Card>
      )}
      {deliveries.length > 0 && (
        <Card flush>
          <Table
            caption="Deliveries of the webhook"
            columns={columnsOf(setShown)}
            rows={deliveries}
            rowKey={({ id }) => id}
          />
        </Card>
      )}
      <Pager
        hasMore={query.hasNextPage}
        isLoading={query.isFetchingNextPage}
        onMore={query.fetchNextPage}
        shown={deliveries.length}
      />
      {shown && (
        <DeliveryDialog
          projectId={projectId}
          delivery={shown}
          mayReplay={webhook.enabled}
          onClose={() => setShown(null)}
        />
      )}
      {isReplaying && (
        <ReplayDialog projectId={projectId} webhook={webhook} onClose={() => setReplaying(false)} />
      )}
    </section>
  );
}

function columnsOf(onShow: (delivery: Delivery) => void): Column<Delivery>[] {
  return [
    {
      key: 'type',
      header: 'Event',
      primary: true,
      cell: ({ event_type, kind }) => (
        <>
          {event_type} {kind === 'replay' && <span className="soft small">replayed</span>}
        </>
      ),
    },
    { key: 'state', header: 'State', cell: ({ state }) => <DeliveryState state={state} /> },
    {
      key: 'intent',
      header: 'Request',
      cell: ({ intent_id: id }) =>
        id === null ? (
          <span className="soft">none</span>
        ) : (
          <Link to={`/approve/${id}`} aria-label={`Request …${id.slice(-6)}`}>
            <code>…{id.slice(-6)}</code>
          </Link>
        ),
    },
    { key: 'at', header: 'Since', cell: ({ created_at: at }) => <RelativeTime at={at} /> },
    { key: 'last', header: 'Last answer', cell: (delivery) => <LastAnswer delivery={delivery} /> },
    {
      key: 'actions',
      header: 'What can be done',
      actions: true,
      cell: (delivery) => (
        <Button
          size="s"
          aria-label={`Details of ${delivery.event_type}, ${delivery.id}`}
          onClick={() => onShow(delivery)}
        >
          Details
        </Button>
      ),
    },
  ];
}

function LastAnswer({ delivery }: { delivery: Delivery }) {
  const { last_status: status, last_error: error, attempts } = delivery;
  if (attempts === 0 && error === null) return <span className="soft">not tried yet</span>;
  return error === null ? String(status) : <InertText text={error} />;
}
