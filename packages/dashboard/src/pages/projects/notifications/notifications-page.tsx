import { useQuery } from '@tanstack/react-query';
import { LinkButton } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ErrorPanel, Notice } from '../../../ui/notice.tsx';
import { Skeleton } from '../../../ui/waiting.tsx';
import { ProjectPage } from '../project-frame/project-page.tsx';
import { useProject, useProjectId } from '../project-frame/queries.ts';
import { ChatHookForm } from './chat-hook-form.tsx';
import { ChatHookState } from './chat-hook-state.tsx';
import * as words from './notifications.words.ts';
import { chatHookQuery } from './queries.ts';

/** The shared chat notifications of a project. */
export default function ProjectNotificationsPage() {
  const { mayManage } = useProject();
  return (
    <ProjectPage title={words.title} width="narrow">
      {mayManage ? <ChatHook /> : <Notice>{words.hidden}</Notice>}
      <Card title={words.own.title} lead={words.own.lead}>
        <div className="button-row">
          <LinkButton to="/account/notifications" icon="bell">
            {words.own.choose}
          </LinkButton>
        </div>
      </Card>
    </ProjectPage>
  );
}

function ChatHook() {
  const { data, error, refetch } = useQuery(chatHookQuery(useProjectId()));
  return (
    <Card title={words.chat.title} lead={words.chat.lead}>
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
