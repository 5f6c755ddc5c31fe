import { useQuery } from '@tanstack/react-query';
import { useRole } from '../../../api/session.ts';
import { LinkButton } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ErrorPanel, Notice } from '../../../ui/notice.tsx';
import { Skeleton } from '../../../ui/waiting.tsx';
import { ProjectPage } from '../project-frame/project-page.tsx';
import { useProjectId } from '../project-frame/queries.ts';
import { ChatHookForm } from './chat-hook-form.tsx';
import { ChatHookState } from './chat-hook-state.tsx';
import { chatHookQuery } from './queries.ts';

/** Where the people of a project hear of it together. */
export default function ProjectNotificationsPage() {
  const projectId = useProjectId();
  const { isAtLeast } = useRole(projectId);
  return (
    <ProjectPage title="Notifications" width="narrow">
      {isAtLeast('admin') ? (
        <ChatHook projectId={projectId} />
      ) : (
        <Notice>Admins and owners connect the chat of a project.</Notice>
      )}
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

function ChatHook({ projectId }: { projectId: string }) {
  const { data, error, refetch } = useQuery(chatHookQuery(projectId));
  return (
    <Card
      title="Chat"
      lead="Slack, or any chat that takes Slack’s incoming webhooks (Mattermost, Rocket.Chat, Discord with /slack). Messages link to the page; nothing is decided in the chat."
    >
      <ErrorPanel error={error} onRetry={() => void refetch()} />
      {data ? (
        <div className="stack loose">
          {data.hook && <ChatHookState projectId={projectId} hook={data.hook} />}
          <ChatHookForm key={data.hook?.updated_at ?? 'none'} projectId={projectId} hook={data.hook} />
        </div>
      ) : (
        !error && <Skeleton lines={3} />
      )}
    </Card>
  );
}
