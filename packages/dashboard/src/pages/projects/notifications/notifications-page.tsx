import { useQuery } from '@tanstack/react-query';
import { LinkButton } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ErrorPanel, Notice } from '../../../ui/notice.tsx';
import { Skeleton } from '../../../ui/waiting.tsx';
import { ProjectPage } from '../project-frame/project-page.tsx';
import { useProject, useProjectId } from '../project-frame/queries.ts';
import { ChatHookForm } from './chat-hook-form.tsx';
import { ChatHookState } from './chat-hook-state.tsx';
import { chatHookQuery } from './queries.ts';

/** The shared chat notifications of a project. */
export default function ProjectNotificationsPage() {
  const { mayManage } = useProject();
  return (
    <ProjectPage title="Notifications" width="narrow">
      {mayManage ? <ChatHook /> : <Notice>Admins and owners connect the chat of a project.</Notice>}
      <Card title="Your own notifications" lead="Mail and push messages are each person's own choice.">
        <div className="button-row">
          <LinkButton to="/account/notifications" icon="bell">
            Choose what you are told
          </LinkButton>
        </div>
      </Card>
    </ProjectPage>
  );
}

function ChatHook() {
  const { data, error, refetch } = useQuery(chatHookQuery(useProjectId()));
  return (
    <Card
      title="Chat"
      lead="Slack, or any chat that takes Slack’s incoming webhooks (Mattermost, Rocket.Chat, Discord with /slack). Messages link to the page; nothing is decided in the chat."
    >
      <ErrorPanel error={error} onRetry={() => void refetch()} />
      {data ? (
        <div className="stack loose">
          {data.hook && <ChatHookState hook={data.hook} />}
          <ChatHookForm key={data.hook?.updated_at ?? 'none'} hook={data.hook} />
        </div>
      ) : (
        !error && <Skeleton lines={3} />
      )}
    </Card>
  );
}
