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
import * as words from './webhooks.words.ts';

export default function WebhooksPage() {
  return (
    <ManagedPage
      title={words.title}
      lead={words.lead}
      makeLabel={words.create}
      hidden={words.hidden}
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
    <Listing query={query} count={webhooks.length} empty={{ icon: 'webhook', ...words.empty }}>
      <Table
        caption={words.webhookList}
        rows={webhooks}
        columns={{
          [words.properties.address]: ({ id, url, description }) => (
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
          [words.properties.state]: (webhook) => <WebhookState webhook={webhook} />,
          [words.properties.events]: ({ event_types }) => sayTypes(event_types),
          [words.properties.lastDelivered]: ({ last_delivered_at: at }) =>
            at ? <RelativeTime at={at} /> : <span className="soft">{words.never}</span>,
        }}
      />
    </Listing>
  );
}
