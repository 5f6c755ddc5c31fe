import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { toast } from '../../../ui/announce.tsx';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { projectPath } from '../project-frame/queries.ts';
import type { Agent } from '../project-frame/wire.ts';

type Verb = 'pause' | 'resume' | 'revoke';

const DONE: Record<Verb, string> = {
  pause: 'is paused',
  resume: 'runs again',
  revoke: 'is revoked for good',
};

/** Pause and resume at once, for both can be taken back; revoking asks for the agent's name first. */
export function AgentActions({
  projectId,
  agent,
  size = 'm',
}: {
  projectId: string;
  agent: Agent;
  size?: 's' | 'm';
}) {
  const [isRevoking, setRevoking] = useState(false);
  const queryClient = useQueryClient();
  const change = useMutation({
    mutationFn: (verb: Verb) => api.post<Agent>(projectPath(projectId, `/agents/${agent.id}/${verb}`)),
    onSuccess: async (_agent, verb) => {
      setRevoking(false);
      toast(`${agent.name} ${DONE[verb]}.`);
      await queryClient.invalidateQueries({ queryKey: ['projects', projectId] });
    },
    onError: (error, verb) => {
      if (verb !== 'revoke') toast(error.message, 'bad');
    },
  });
  if (agent.status === 'revoked') return null;
  const verb = agent.status === 'paused' ? 'resume' : 'pause';
  return (
    <>
      <Button
        size={size}
        busy={change.isPending && change.variables !== 'revoke'}
        aria-label={`${verb === 'pause' ? 'Pause' : 'Resume'} ${agent.name}`}
        onClick={() => change.mutate(verb)}
      >
        {verb === 'pause' ? 'Pause' : 'Resume'}
      </Button>
      <Button size={size} tone="deny" aria-label={`Revoke ${agent.name}`} onClick={() => setRevoking(true)}>
        Revoke
      </Button>
      <ConfirmDialog
        open={isRevoking}
        title="Revoke this agent for good?"
        confirmLabel="Revoke the agent"
        typeToConfirm={agent.name}
        busy={change.isPending}
        onConfirm={() => change.mutate('revoke')}
        onCancel={() => {
          change.reset();
          setRevoking(false);
        }}
      >
        <div className="stack">
          <ErrorPanel error={change.error} />
          <p>
            <InertText text={agent.name} /> can never ask again, its keys are refused, and no permit it holds
            is verified or used any more. This cannot be taken back, and its name is not given to another
            agent. To stop it for a while, pause it.
          </p>
        </div>
      </ConfirmDialog>
    </>
  );
}
