import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { type Membership, useSignedIn } from '../../api/session.ts';
import { InertText } from '../../inert-text/inert-text.tsx';
import { Button, LinkButton } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import * as words from './inbox-empty.words.ts';
import { keepSearching } from './request-list.words.ts';

/** No pending requests. In a project that never had any, explains how an agent sends the first. */
export function InboxEmpty() {
  const { memberships } = useSignedIn();
  const { data } = useQuery({
    queryKey: ['history', 'any'],
    queryFn: ({ signal }) =>
      api.get<{ data: unknown[] }>('/console/history', { query: { limit: 1 }, signal }),
  });
  if (memberships.length === 0) {
    return <EmptyState {...words.noProject} />;
  }
  if (!data) return null;
  if (data.data.length > 0) {
    return (
      <EmptyState
        icon="check"
        {...words.nonePending}
        actions={<LinkButton to="/history">{words.viewHistory}</LinkButton>}
      />
    );
  }
  return <FirstRequest project={memberships.find(canMakeKeys) ?? memberships[0]} />;
}

function canMakeKeys({ role }: Membership): boolean {
  return role === 'owner' || role === 'admin';
}

function FirstRequest({ project }: { project: Membership | undefined }) {
  if (!project) return null;
  const canRegister = canMakeKeys(project);
  return (
    <EmptyState
      title={words.first.title}
      lead={canRegister ? words.first.leadForAdmin : words.first.lead}
      actions={
        canRegister && (
          <LinkButton tone="primary" to={`/projects/${project.project_id}/agents/register`}>
            {words.first.register}
          </LinkButton>
        )
      }
    >
      <p>
        {canRegister ? words.first.withKey : words.first.inProject(<InertText text={project.project_name} />)}
      </p>
      <CodeBlock
        code={words.requestCommand(location.origin)}
        title={words.first.terminal}
        what={words.first.command}
      />
    </EmptyState>
  );
}

/** There are pending requests, but none that match the filters. */
export function InboxNoMatch({
  stoppedEarly,
  onMore,
  onClear,
}: {
  stoppedEarly: boolean;
  onMore: () => void;
  onClear: () => void;
}) {
  return (
    <EmptyState
      icon="search"
      {...(stoppedEarly ? words.noMatchYet : words.noMatch)}
      actions={
        <>
          {stoppedEarly && <Button onClick={onMore}>{keepSearching}</Button>}
          <Button onClick={onClear}>{words.clearFilters}</Button>
        </>
      }
    />
  );
}
