import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { useRole } from '../../../api/session.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { toast } from '../../../ui/announce.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { DateTime, RelativeTime } from '../../../ui/time.tsx';
import { projectPath, projectQuery } from '../project-frame/queries.ts';
import type { AuditEntry, PageOf } from '../project-frame/wire.ts';

/** The stop switch: what it does, said before it is done, and afterwards who did it. */
export function StopCard({ projectId }: { projectId: string }) {
  const { data: project, error } = useQuery(projectQuery(projectId));
  const { isAtLeast } = useRole(projectId);
  const [isAsking, setAsking] = useState(false);
  const queryClient = useQueryClient();
  const change = useMutation({
    mutationFn: (verb: 'stop' | 'start') => api.post(projectPath(projectId, `/${verb}`)),
    onSuccess: async (_answer, verb) => {
      setAsking(false);
      await queryClient.invalidateQueries({ queryKey: ['projects'] });
      toast(verb === 'stop' ? 'The project is stopped.' : 'The project runs again.');
    },
  });
  if (error) return <ErrorPanel error={error} />;
  if (!project) return null;
  const stoppedAt = project.stopped_at;
  const verb = stoppedAt ? 'start' : 'stop';
  return (
    <Card
      title={stoppedAt ? 'Stopped' : 'Stop switch'}
      tone={stoppedAt ? 'bad' : undefined}
      actions={
        isAtLeast('admin') && (
          <Button
            tone={stoppedAt ? 'approve' : 'danger'}
            size="l"
            icon={stoppedAt ? 'refresh' : 'stop'}
            onClick={() => setAsking(true)}
          >
            {stoppedAt ? 'Start the project' : 'Stop the project'}
          </Button>
        )
      }
    >
      {stoppedAt ? (
        <StoppedBy projectId={projectId} stoppedAt={stoppedAt} />
      ) : (
        <p>
          Running. Stopping refuses every new request, every check of a permit and every use of one, for all
          agents and keys of this project, from the next call on.
          {!isAtLeast('admin') && ' Admins and owners can stop it.'}
        </p>
      )}
      <ConfirmDialog
        open={isAsking}
        title={stoppedAt ? 'Start this project?' : 'Stop this project?'}
        confirmLabel={stoppedAt ? 'Start the project' : 'Stop the project'}
        tone={stoppedAt ? 'approve' : 'danger'}
        busy={change.isPending}
        onConfirm={() => change.mutate(verb)}
        onCancel={() => {
          change.reset();
          setAsking(false);
        }}
      >
        <div className="stack">
          <ErrorPanel error={change.error} />
          {stoppedAt ? <WhatStartingDoes /> : <WhatStoppingDoes />}
        </div>
      </ConfirmDialog>
    </Card>
  );
}

function WhatStoppingDoes() {
  return (
    <ul className="project-points">
      <li>No agent or key of this project can ask for anything.</li>
      <li>No permit is verified or used, also none that was approved already.</li>
      <li>People can still look, and decide what waits; its time goes on running.</li>
      <li>Nothing is lost. An admin can start the project again at any time.</li>
    </ul>
  );
}

function WhatStartingDoes() {
  return (
    <ul className="project-points">
      <li>Agents and keys can ask again, and permits whose time is not over can be used.</li>
      <li>Agents that were paused one by one stay paused.</li>
    </ul>
  );
}

/** The switch itself remembers when; who did it stands in the audit log. */
function StoppedBy({ projectId, stoppedAt }: { projectId: string; stoppedAt: string }) {
  const { data } = useQuery({
    queryKey: ['projects', projectId, 'stopped-by', stoppedAt],
    queryFn: ({ signal }) =>
      api.get<PageOf<AuditEntry>>(projectPath(projectId, '/audit'), {
        query: { type: 'project.stopped', from: stoppedAt, limit: 1 },
        signal,
      }),
  });
  const stopped = data?.data[0];
  return (
    <p>
      Stopped <RelativeTime at={stoppedAt} /> (<DateTime at={stoppedAt} />)
      {stopped && (
        <>
          {' by '}
          <InertText text={stopped.actor.display ?? stopped.actor.id} />
        </>
      )}
      . Nothing is asked for, verified or used until somebody starts it.
    </p>
  );
}
