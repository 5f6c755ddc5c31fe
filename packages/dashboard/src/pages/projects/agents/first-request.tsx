import { useQuery } from '@tanstack/react-query';
import { type PageOf, reading } from '../../../api/reading.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { LinkButton } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Spinner } from '../../../ui/waiting.tsx';
import { useProject } from '../project-frame/queries.ts';
import type { Agent, AuditEntry } from '../project-frame/wire.ts';
import * as words from './agents.words.ts';

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
        <Notice tone="good" title={words.firstRequest.arrived}>
          <p>{words.arrivedFrom(<InertText text={agent.name} />)}</p>
          <div className="button-row">
            <LinkButton tone="primary" to={`/approve/${intentId}`}>
              {words.firstRequest.view}
            </LinkButton>
          </div>
        </Notice>
      ) : (
        <Notice title={words.firstRequest.waiting}>
          <Spinner /> {words.firstRequest.waitingLead}
        </Notice>
      )}
      {!intentId && (
        <p className="soft small">
          <LinkButton tone="quiet" size="s" to={`/projects/${projectId}/agents`}>
            {words.firstRequest.skip}
          </LinkButton>
        </p>
      )}
    </div>
  );
}
