import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { renew } from '../../../api/query-client.ts';
import { useSubmit } from '../../../api/use-submit.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { toast } from '../../../ui/announce.tsx';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/form-dialog.tsx';
import { messageOf } from '../../../ui/notice.tsx';
import { useProject } from '../project-frame/queries.ts';
import type { Agent } from '../project-frame/wire.ts';
import * as words from './agents.words.ts';

/** Pause and resume act at once, because each undoes the other. Revoke asks for the agent's name first. */
export function AgentActions({ agent, size = 'm' }: { agent: Agent; size?: 's' | 'm' }) {
  const { projectId, path } = useProject();
  const [isRevoking, setRevoking] = useState(false);
  const isPaused = agent.status === 'paused';
  const change = useSubmit(async () => {
    try {
      await api.post<Agent>(path(`/agents/${agent.id}/${isPaused ? 'resume' : 'pause'}`));
      toast(isPaused ? words.resumed(agent.name) : words.paused(agent.name));
      await renew(['projects', projectId]);
    } catch (error) {
      toast(messageOf(error), 'bad');
    }
  });
  if (agent.status === 'revoked') return null;
  return (
    <>
      <Button
        size={size}
        busy={change.busy}
        aria-label={isPaused ? words.resumeNamed(agent.name) : words.pauseNamed(agent.name)}
        onClick={change.submit}
      >
        {isPaused ? words.resume : words.pause}
      </Button>
      <Button
        size={size}
        tone="deny"
        aria-label={words.revokeNamed(agent.name)}
        onClick={() => setRevoking(true)}
      >
        {words.revoke}
      </Button>
      {isRevoking && (
        <ConfirmDialog
          title={words.revokeTitle}
          confirmLabel={words.revokeAgent}
          typeToConfirm={agent.name}
          change={() => api.post<Agent>(path(`/agents/${agent.id}/revoke`))}
          done={words.revoked(agent.name)}
          touched={['projects', projectId]}
          onClose={() => setRevoking(false)}
        >
          <p>{words.revokeConsequence(<InertText text={agent.name} />)}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
