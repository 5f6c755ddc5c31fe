import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { type PageOf, reading } from '../../../api/reading.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDialog } from '../../../ui/form-dialog.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { DateTime, RelativeTime } from '../../../ui/time.tsx';
import { projectQuery, useProject } from '../project-frame/queries.ts';
import type { AuditEntry } from '../project-frame/wire.ts';

/** The emergency stop. It says beforehand what it does, and afterwards who used it. */
export function StopCard() {
  const { projectId, mayManage, path } = useProject();
  const { data: project, error } = useQuery(projectQuery(projectId));
  const [isAsking, setAsking] = useState(false);
  if (error) return <ErrorPanel error={error} />;
  if (!project) return null;
  const stoppedAt = project.stopped_at;
  const verb = stoppedAt ? 'start' : 'stop';
  return (
    <Card
      title={stoppedAt ? 'Stopped' : 'Stop switch'}
      tone={stoppedAt ? 'bad' : undefined}
      actions={
        mayManage && (
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
        <StoppedBy stoppedAt={stoppedAt} />
      ) : (
        <p>
          Running. Stopping refuses every new request, every check of a permit and every use of one, for all
          agents and keys of this project, from the next call on.
          {!mayManage && ' Admins and owners can stop it.'}
        </p>
      )}
      {isAsking && (
        <ConfirmDialog
          title={stoppedAt ? 'Start this project?' : 'Stop this project?'}
          confirmLabel={stoppedAt ? 'Start the project' : 'Stop the project'}
          tone={stoppedAt ? 'approve' : 'danger'}
          change={() => api.post(path(`/${verb}`))}
          done={verb === 'stop' ? 'The project is stopped.' : 'The project runs again.'}
          touched={['projects']}
          onClose={() => setAsking(false)}
        >
          {stoppedAt ? <WhatStartingDoes /> : <WhatStoppingDoes />}
        </ConfirmDialog>
      )}
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

/** The stop itself stores only the time; the audit log says who used it. */
function StoppedBy({ stoppedAt }: { stoppedAt: string }) {
  const { projectId, path } = useProject();
  const { data } = useQuery(
    reading<PageOf<AuditEntry>>(['projects', projectId, 'stopped-by', stoppedAt], path('/audit'), {
      type: 'project.stopped',
      from: stoppedAt,
      limit: 1,
    }),
  );
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
