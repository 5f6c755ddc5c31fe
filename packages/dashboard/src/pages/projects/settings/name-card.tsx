import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldError } from '../../../api/api-error.ts';
import { api } from '../../../api/client.ts';
import { sessionQuery, useRole } from '../../../api/session.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { toast } from '../../../ui/announce.tsx';
import { ModeBadge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { DateTime } from '../../../ui/time.tsx';
import { projectQuery } from '../project-frame/queries.ts';

export function NameCard({ projectId }: { projectId: string }) {
  const { data: project } = useQuery(projectQuery(projectId));
  const { isAtLeast } = useRole(projectId);
  if (!project) return null;
  return (
    <Card title="Project">
      <div className="stack">
        <dl className="facts">
          <dt>Name</dt>
          <dd>
            <InertText text={project.name} />
          </dd>
          <dt>Mode</dt>
          <dd>
            <ModeBadge mode={project.mode} />{' '}
            {project.mode === 'live'
              ? 'Approved actions are carried out. Keys and tokens approve only where policy lets programs approve.'
              : 'For trying out; its permits say so.'}
          </dd>
          <dt>Id</dt>
          <dd>
            <code>{project.id}</code>
          </dd>
          <dt>Made</dt>
          <dd>
            <DateTime at={project.created_at} />
          </dd>
        </dl>
        {isAtLeast('admin') && <Rename key={project.name} projectId={projectId} name={project.name} />}
      </div>
    </Card>
  );
}

function Rename({ projectId, name }: { projectId: string; name: string }) {
  const [wanted, setWanted] = useState(name);
  const queryClient = useQueryClient();
  const rename = useMutation({
    mutationFn: () => api.patch(`/console/projects/${encodeURIComponent(projectId)}`, { name: wanted }),
    onSuccess: async () => {
      toast('The project has its new name.');
      await queryClient.invalidateQueries({ queryKey: ['projects'] });
      await queryClient.invalidateQueries(sessionQuery);
    },
  });
  const problem = fieldError(rename.error, 'name');
  return (
    <form
      className="stack tight"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        rename.mutate();
      }}
    >
      {!problem && <ErrorPanel error={rename.error} />}
      <TextField
        label="New name"
        hint="Keys, permits and links stay as they are."
        value={wanted}
        maxLength={100}
        error={problem}
        onChange={(event) => setWanted(event.target.value)}
      />
      <div className="button-row">
        <Button type="submit" busy={rename.isPending} disabled={wanted.trim() === name}>
          Rename
        </Button>
      </div>
    </form>
  );
}
