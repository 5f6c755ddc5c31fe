import { useQuery } from '@tanstack/react-query';
import { type PageOf, reading } from '../../../api/reading.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { LinkButton } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Spinner } from '../../../ui/waiting.tsx';
import { useProject } from '../project-frame/queries.ts';
import type { Agent, AuditEntry } from '../project-frame/wire.ts';

const POLL_EVERY_MS = 3_000;

/** Waits for the agent's first request, then links to it. */
export function FirstRequest({ agent }: { agent: Agent }) {
  const { projectId, path } = useProject();
  const { data } = useQuery({
    ...reading<PageOf<AuditEntry>>(['projects', projectId, 'first-request', agent.id], path('/audit'), {
      type: 'intent.created',
      actor: agent.id,
      from: agent.created_at,
      limit: 1,
    }),
    refetchInterval: ({ state }) => (state.data?.data.length ? false : POLL_EVERY_MS),
  });
  const intentId = data?.data[0]?.intent_id;
  return (
    <div aria-live="polite">
      {intentId ? (
        <Notice tone="good" title="The first request is here.">
          <p>
            <InertText text={agent.name} /> has asked for something. A person decides now.
          </p>
          <div className="button-row">
            <LinkButton tone="primary" to={`/approve/${intentId}`}>
              Look at the request
            </LinkButton>
          </div>
        </Notice>
      ) : (
        <Notice title="Waiting for its first request">
          <Spinner /> It appears here by itself, as soon as the agent asks.
        </Notice>
      )}
      {!intentId && (
        <p className="soft small">
          <LinkButton tone="quiet" size="s" to={`/projects/${projectId}/agents`}>
            Go on to the agents
          </LinkButton>
        </p>
      )}
    </div>
  );
}
