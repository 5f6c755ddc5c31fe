import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../../api/api-error.ts';
import { api, newIdempotencyKey } from '../../../api/client.ts';
import { useRole } from '../../../api/session.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ErrorPanel, Notice } from '../../../ui/notice.tsx';
import { NewKey } from '../keys/new-key.tsx';
import { ProjectPage } from '../project-frame/project-page.tsx';
import { projectPath, useProjectId } from '../project-frame/queries.ts';
import type { Agent, MadeKey } from '../project-frame/wire.ts';
import { AgentForm, NEW_AGENT, toProfile } from './agent-form.tsx';
import { FirstRequest } from './first-request.tsx';

/** From nothing to an agent that has asked: its name, its key with what to paste, and its first request as it comes. */
export default function RegisterPage() {
  const projectId = useProjectId();
  const { isAtLeast } = useRole(projectId);
  const [draft, setDraft] = useState(NEW_AGENT);
  const [agent, setAgent] = useState<Agent | null>(null);
  const [isKept, setKept] = useState(false);
  const queryClient = useQueryClient();
  const register = useMutation({
    mutationFn: async (): Promise<{ agent: Agent; key: MadeKey }> => {
      const { framework, ...profile } = toProfile(draft);
      // A key that could not be made is asked for again; the agent is there by then.
      const registered =
        agent ??
        (await api.post<Agent>(
          projectPath(projectId, '/agents'),
          { ...profile, ...(framework !== null && { framework }) },
          { idempotencyKey: newIdempotencyKey() },
        ));
      setAgent(registered);
      const key = await api.post<MadeKey>(
        projectPath(projectId, '/keys'),
        { kind: 'agent', name: `key of ${registered.name}`.slice(0, 100), agent_id: registered.id },
        { idempotencyKey: newIdempotencyKey() },
      );
      return { agent: registered, key };
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['projects', projectId] }),
  });
  const made = register.data;
  const hasFields = register.error instanceof ApiError && register.error.fields.length > 0;
  return (
    <ProjectPage
      title={made ? 'Give the agent its key' : 'Register an agent'}
      width="narrow"
      back={{ to: `/projects/${projectId}/agents`, label: 'Agents' }}
    >
      {!isAtLeast('admin') && <Notice tone="warn">Agents are registered by admins and owners.</Notice>}
      {isAtLeast('admin') && !made && (
        <Card>
          <div className="stack">
            {!hasFields && <ErrorPanel error={register.error} />}
            <AgentForm
              draft={draft}
              onChange={setDraft}
              onSubmit={() => register.mutate()}
              error={register.error}
              isFolded
              actions={
                <Button type="submit" tone="primary" busy={register.isPending}>
                  {agent ? 'Create key' : 'Register agent'}
                </Button>
              }
            />
          </div>
        </Card>
      )}
      {made && !isKept && (
        <>
          <Card>
            <NewKey made={made.key} doneLabel="Done" onDone={() => setKept(true)} />
          </Card>
          <FirstRequest projectId={projectId} agent={made.agent} />
        </>
      )}
      {made && isKept && <FirstRequest projectId={projectId} agent={made.agent} />}
    </ProjectPage>
  );
}
