import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { Listing } from '../../../ui/listing.tsx';
import { Table } from '../../../ui/table.tsx';
import { RelativeTime } from '../../../ui/time.tsx';
import { ManagedPage } from '../project-frame/managed-page.tsx';
import { useProjectId } from '../project-frame/queries.ts';
import { MakeWebhookDialog } from './make-webhook-dialog.tsx';
import { webhooksQuery } from './queries.ts';
import { sayTypes } from './types-field.tsx';
import { WebhookState } from './webhook-state.tsx';

export default function WebhooksPage() {
  return (
    <ManagedPage
      title="Webhooks"
      lead="Other systems that are told what happens here, as it happens, signed by Standard Webhooks."
      makeLabel="New webhook"
      hidden="The webhooks of this project are seen and made by its admins and owners."
      list={<Webhooks />}
      maker={(onClose) => <MakeWebhookDialog onClose={onClose} />}
    />
  );
}

function Webhooks() {
  const projectId = useProjectId();
  const query = useQuery(webhooksQuery(projectId));
  const webhooks = query.data?.data ?? [];
  return (
    <Listing
      query={query}
      count={webhooks.length}
      empty={{
        icon: 'webhook',
        title: 'No webhooks',
        lead: 'Nothing is sent from here. A webhook tells a system of yours of each decision, at least once and in order.',
      }}
    >
      <Table
        caption="Webhooks of the project"
        rows={webhooks}
        columns={{
          Address: ({ id, url, description }) => (
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
          State: (webhook) => <WebhookState webhook={webhook} />,
          'What is sent': ({ event_types }) => sayTypes(event_types),
          'Last taken': ({ last_delivered_at: at }) =>
            at ? <RelativeTime at={at} /> : <span className="soft">nothing yet</span>,
        }}
      />
    </Listing>
  );
}
