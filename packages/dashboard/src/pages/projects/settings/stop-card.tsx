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
import * as words from './settings.words.ts';

/** The emergency stop. It says beforehand what it does, and afterwards who used it. */
export function StopCard() {
  const { projectId, mayManage, path } = useProject();
  const { data: project, error } = useQuery(projectQuery(projectId));
  const [isAsking, setAsking] = useState(false);
  if (error) return <ErrorPanel error={error} />;
  if (!project) return null;
  const stoppedAt = project.stopped_at;
  const change = stoppedAt ? words.start : words.stop;
  return (
    <Card
      title={words.emergencyStop}
      tone={stoppedAt ? 'bad' : undefined}
      actions={
        mayManage && (
          <Button
            tone={stoppedAt ? 'approve' : 'danger'}
            size="l"
            icon={stoppedAt ? 'refresh' : 'stop'}
            onClick={() => setAsking(true)}
          >
            {change.confirm}
          </Button>
        )
      }
    >
      {stoppedAt ? (
        <StoppedBy stoppedAt={stoppedAt} />
      ) : (
        <p>
          {words.running} {!mayManage && words.whoCanStop}
        </p>
      )}
      {isAsking && (
        <ConfirmDialog
          title={change.title}
          confirmLabel={change.confirm}
          tone={stoppedAt ? 'approve' : 'danger'}
          change={() => api.post(path(stoppedAt ? '/start' : '/stop'))}
          done={change.done}
          touched={['projects']}
          onClose={() => setAsking(false)}
        >
          <ul className="project-points">
            {change.consequences.map((consequence) => (
              <li key={consequence}>{consequence}</li>
            ))}
          </ul>
        </ConfirmDialog>
      )}
    </Card>
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
  const person = data?.data[0]?.actor;
  const when = <RelativeTime at={stoppedAt} />;
  const date = <DateTime at={stoppedAt} />;
  return (
    <p>
      {person
        ? words.stoppedBy(when, date, <InertText text={person.display ?? person.id} />)
        : words.stopped(when, date)}
    </p>
  );
}
