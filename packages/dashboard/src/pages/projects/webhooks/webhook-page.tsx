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

/** One webhook: which events it sends where, its state, and the result of each delivery. */
export default function WebhookPage() {
  const { projectId, mayManage } = useProject();
  const { webhookId = '' } = useParams();
  const query = useQuery({ ...webhookQuery(projectId, webhookId), enabled: mayManage });
  const { data: webhook } = query;
  const back = { to: `/projects/${projectId}/webhooks`, label: 'Webhooks' };
  return (
    <ProjectPage title="Webhook" back={back} actions={webhook && <WebhookActions webhook={webhook} />}>
      {!mayManage && <Notice>Webhooks are seen by the admins and owners of a project.</Notice>}
      <ItemState query={query} what="webhook" icon="webhook" back={back} />
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
      <Notice tone="bad" title="It was disabled: it answered 410.">
        The receiver wants nothing any more. Enable it when that has changed, and replay what it missed.
      </Notice>
    );
  }
  if (webhook.disabled_reason === 'failing') {
    return (
      <Notice tone="bad" title="It was disabled: it took nothing for five days.">
        Put the receiver right, enable it, and replay what it missed.
      </Notice>
    );
  }
  if (!webhook.enabled || webhook.failing_since === null) return null;
  return (
    <Notice tone="warn" title="It fails.">
      <p>
        Nothing was taken since <DateTime at={webhook.failing_since} />.{' '}
        {webhook.paused_until && (
          <>
            It is left alone until <DateTime at={webhook.paused_until} />; a test goes out at once.
          </>
        )}
      </p>
    </Notice>
  );
}

function Settings({ webhook }: { webhook: Webhook }) {
  const [isEditing, setEditing] = useState(false);
  return (
    <Card
      title={webhook.description === null ? 'Settings' : <InertText text={webhook.description} />}
      actions={<Button onClick={() => setEditing(true)}>Edit</Button>}
    >
      <Facts
        of={{
          State: <WebhookState webhook={webhook} />,
          Address:
            webhook.url === null ? (
              'cannot be read: the key under which it was kept is gone; set it again'
            ) : (
              <InertText text={webhook.url} />
            ),
          'What is sent': sayTypes(webhook.event_types),
          'Last taken': webhook.last_delivered_at ? (
            <RelativeTime at={webhook.last_delivered_at} />
          ) : (
            'nothing yet'
          ),
          'Older secrets sign': webhook.previous_secrets_end_at && (
            <>
              until <DateTime at={webhook.previous_secrets_end_at} />
            </>
          ),
          Made: <DateTime at={webhook.created_at} />,
          Id: <code>{webhook.id}</code>,
        }}
      />
      {isEditing && <EditWebhookDialog webhook={webhook} onClose={() => setEditing(false)} />}
    </Card>
  );
}
