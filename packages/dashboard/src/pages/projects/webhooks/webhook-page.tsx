import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams } from 'react-router';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { DateTime, RelativeTime } from '../../../ui/time.tsx';
import { ItemState } from '../project-frame/item-state.tsx';
import { ProjectPage } from '../project-frame/project-page.tsx';
import { useProject } from '../project-frame/queries.ts';
import { DeliveriesCard } from './deliveries-card.tsx';
import { EditWebhookDialog } from './edit-webhook-dialog.tsx';
import { type Webhook, webhookQuery } from './queries.ts';
import { sayTypes } from './types-field.tsx';
import { WebhookActions } from './webhook-actions.tsx';
import { WebhookState } from './webhook-state.tsx';
import * as words from './webhooks.words.ts';

/** One webhook: which events it sends where, its state, and the result of each delivery. */
export default function WebhookPage() {
  const { projectId, mayManage } = useProject();
  const { webhookId = '' } = useParams();
  const query = useQuery({ ...webhookQuery(projectId, webhookId), enabled: mayManage });
  const { data: webhook } = query;
  const back = { to: `/projects/${projectId}/webhooks`, label: words.title };
  return (
    <ProjectPage title={words.webhook} back={back} actions={webhook && <WebhookActions webhook={webhook} />}>
      {!mayManage && <Notice>{words.hiddenWebhook}</Notice>}
      <ItemState query={query} what={words.item} icon="webhook" back={back} />
      {webhook && (
        <>
          <Health webhook={webhook} />
          <Settings webhook={webhook} />
          <DeliveriesCard webhook={webhook} />
        </>
      )}
    </ProjectPage>
  );
}

function Health({ webhook }: { webhook: Webhook }) {
  if (webhook.disabled_reason === 'gone') {
    return (
      <Notice tone="bad" title={words.gone.title}>
        {words.gone.lead}
      </Notice>
    );
  }
  if (webhook.disabled_reason === 'failing') {
    return (
      <Notice tone="bad" title={words.gaveUp.title}>
        {words.gaveUp.lead}
      </Notice>
    );
  }
  if (!webhook.enabled || webhook.failing_since === null) return null;
  return (
    <Notice tone="warn" title={words.failing}>
      <p>
        {words.failingSince(<DateTime at={webhook.failing_since} />)}{' '}
        {webhook.paused_until && words.nextRetry(<DateTime at={webhook.paused_until} />)}
      </p>
    </Notice>
  );
}

function Settings({ webhook }: { webhook: Webhook }) {
  const [isEditing, setEditing] = useState(false);
  return (
    <Card
      title={webhook.description === null ? words.settings : <InertText text={webhook.description} />}
      actions={<Button onClick={() => setEditing(true)}>{words.edit}</Button>}
    >
      <Facts
        of={{
          [words.properties.state]: <WebhookState webhook={webhook} />,
          [words.properties.address]:
            webhook.url === null ? words.addressUnreadable : <InertText text={webhook.url} />,
          [words.properties.events]: sayTypes(webhook.event_types),
          [words.properties.lastDelivered]: webhook.last_delivered_at ? (
            <RelativeTime at={webhook.last_delivered_at} />
          ) : (
            words.never
          ),
          [words.properties.oldSecretsUntil]: webhook.previous_secrets_end_at && (
            <DateTime at={webhook.previous_secrets_end_at} />
          ),
          [words.properties.created]: <DateTime at={webhook.created_at} />,
          [words.properties.id]: <code>{webhook.id}</code>,
        }}
      />
      {isEditing && <EditWebhookDialog webhook={webhook} onClose={() => setEditing(false)} />}
    </Card>
  );
}
