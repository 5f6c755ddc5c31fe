import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { type Membership, useSignedIn } from '../../api/session.ts';
import { InertText } from '../../inert-text/inert-text.tsx';
import { Button, LinkButton } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';

/** No pending requests. In a project that never had any, explains how an agent sends the first. */
export function InboxEmpty() {
  const { memberships } = useSignedIn();
  const { data } = useQuery({
    queryKey: ['history', 'any'],
    queryFn: ({ signal }) =>
      api.get<{ data: unknown[] }>('/console/history', { query: { limit: 1 }, signal }),
  });
  if (memberships.length === 0) {
    return (
      <EmptyState
        title="You belong to no project"
        lead="Ask an owner or an admin of a project for an invitation. What has to be decided there then appears here."
      />
    );
  }
  if (!data) return null;
  if (data.data.length > 0) {
    return (
      <EmptyState
        icon="check"
        title="No pending requests"
        lead="New ones appear here automatically."
        actions={<LinkButton to="/history">View history</LinkButton>}
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
  const command = [
    `curl ${location.origin}/v1/intents \\`,
    '  -H "Authorization: Bearer $AGENT_KEY" \\',
    '  -H "Content-Type: application/json" \\',
    `  -d '{"action":"payments.refund","params":{"order":"A-4711","amount":120.5}}'`,
  ].join('\n');
  return (
    <EmptyState
      title="No agent has asked for anything yet"
      lead={
        canRegister
          ? 'Register the first one: you get its key, and a line to paste into a terminal that asks for something. The request appears here the moment it arrives, and you decide.'
          : 'The first request appears here the moment it arrives, and you decide.'
      }
      actions={
        canRegister && (
          <LinkButton tone="primary" to={`/projects/${project.project_id}/agents/register`}>
            Register an agent
          </LinkButton>
        )
      }
    >
      <p>
        {canRegister ? (
          'With a key you have already, an agent asks like this:'
        ) : (
          <>
            An agent of <InertText text={project.project_name} /> asks like this; an admin of the project has
            its key:
          </>
        )}
      </p>
      <CodeBlock code={command} title="Terminal" what="the command" />
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
      title={stoppedEarly ? 'No match so far' : 'No matching requests'}
      lead={
        stoppedEarly
          ? 'Part of the pending requests has not been searched yet.'
          : 'Decided requests are in History.'
      }
      actions={
        <>
          {stoppedEarly && <Button onClick={onMore}>Keep searching</Button>}
          <Button onClick={onClear}>Clear the filters</Button>
        </>
      }
    />
  );
}
