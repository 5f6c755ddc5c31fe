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

/** Pause and resume act at once, because each undoes the other. Revoke asks for the agent's name first. */
export function AgentActions({ agent, size = 'm' }: { agent: Agent; size?: 's' | 'm' }) {
  const { projectId, path } = useProject();
  const [isRevoking, setRevoking] = useState(false);
  const verb = agent.status === 'paused' ? 'resume' : 'pause';
  const change = useSubmit(async () => {
    try {
      await api.post<Agent>(path(`/agents/${agent.id}/${verb}`));
      toast(`${agent.name} ${verb === 'pause' ? 'is paused' : 'runs again'}.`);
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
        aria-label={`${verb === 'pause' ? 'Pause' : 'Resume'} ${agent.name}`}
        onClick={change.submit}
      >
        {verb === 'pause' ? 'Pause' : 'Resume'}
      </Button>
      <Button size={size} tone="deny" aria-label={`Revoke ${agent.name}`} onClick={() => setRevoking(true)}>
        Revoke
      </Button>
      {isRevoking && (
        <ConfirmDialog
          title="Revoke this agent for good?"
          confirmLabel="Revoke the agent"
          typeToConfirm={agent.name}
          change={() => api.post<Agent>(path(`/agents/${agent.id}/revoke`))}
          done={`${agent.name} is revoked for good.`}
          touched={['projects', projectId]}
          onClose={() => setRevoking(false)}
        >
          <p>
            <InertText text={agent.name} /> can never ask again, its keys are refused, and no permit it holds
            is verified or used any more. This cannot be taken back, and its name is not given to another
            agent. To stop it for a while, pause it.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
