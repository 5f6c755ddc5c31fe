import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { type Column, Table } from '../../../ui/table.tsx';
import { RelativeTime } from '../../../ui/time.tsx';
import { ListState, ManagedPage } from '../project-frame/managed-page.tsx';
import { MakeWebhookDialog } from './make-webhook-dialog.tsx';
import { type Webhook, webhooksQuery } from './queries.ts';
import { sayTypes } from './types-field.tsx';
import { WebhookState } from './webhook-state.tsx';

/** Where events of a project are sent. */
export default function WebhooksPage() {
  return (
    <ManagedPage
      title="Webhooks"
      lead="Other systems that are told what happens here, as it happens, signed by Standard Webhooks."
      makeLabel="New webhook"
      hidden="The webhooks of this project are seen and made by its admins and owners."
      list={(projectId) => <Webhooks projectId={projectId} />}
      maker={(projectId, onClose) => <MakeWebhookDialog projectId={projectId} onClose={onClose} />}
    />
  );
}

function Webhooks({ projectId }: { projectId: string }) {
  const query = useQuery(webhooksQuery(projectId));
  const webhooks = query.data?.data ?? [];
  const columns: Column<Webhook>[] = [
    {
      key: 'address',
      header: 'Address',
      primary: true,
      cell: ({ id, url, description }) => (
        <span>
          <Link to={`/projects/${projectId}/webhooks/${id}`}>
            <InertText text={description ?? url ?? id} />
          </Link>
          {description !== null && url !== null && (
            <>
              {' '}
              <span className="soft small">
                <InertText text={new URL(url).host} />
              </span>
            </>
          )}
        </span>
      ),
    },
    { key: 'state', header: 'State', cell: (webhook) => <WebhookState webhook={webhook} /> },
    { key: 'types', header: 'What is sent', cell: ({ event_types }) => sayTypes(event_types) },
    {
      key: 'last',
      header: 'Last taken',
      cell: ({ last_delivered_at: at }) =>
        at ? <RelativeTime at={at} /> : <span className="soft">nothing yet</span>,
    },
  ];
  return (
    <>
      <ListState
        query={query}
        isEmpty={webhooks.length === 0}
        empty={
          <EmptyState
            icon="webhook"
            title="No webhooks"
            lead="Nothing is sent from here. A webhook tells a system of yours of each decision, at least once and in order."
          />
        }
      />
      {webhooks.length > 0 && (
        <Card flush>
          <Table
            caption="Webhooks of the project"
            columns={columns}
            rows={webhooks}
            rowKey={({ id }) => id}
          />
        </Card>
      )}
    </>
  );
}
