import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { renew } from '../../../api/query-client.ts';
import { sessionQuery } from '../../../api/session.ts';
import { useForm } from '../../../api/use-form.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { toast } from '../../../ui/announce.tsx';
import { ModeBadge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { DateTime } from '../../../ui/time.tsx';
import { projectQuery, useProject } from '../project-frame/queries.ts';
import * as words from './settings.words.ts';

export function NameCard() {
  const { projectId, mayManage } = useProject();
  const { data: project } = useQuery(projectQuery(projectId));
  if (!project) return null;
  return (
    <Card title={words.facts.title}>
      <div className="stack">
        <Facts
          of={{
            [words.facts.name]: <InertText text={project.name} />,
            [words.facts.mode]: (
              <>
                <ModeBadge mode={project.mode} /> {words.modes[project.mode]}
              </>
            ),
            [words.facts.id]: <code>{project.id}</code>,
            [words.facts.created]: <DateTime at={project.created_at} />,
          }}
        />
        {mayManage && <Rename key={project.name} name={project.name} />}
      </div>
    </Card>
  );
}

function Rename({ name }: { name: string }) {
  const { consolePath } = useProject();
  const form = useForm({ name }, async (draft) => {
    await api.patch(consolePath(), draft);
    toast(words.rename.done);
    await renew(['projects']);
    await renew(sessionQuery.queryKey);
  });
  return (
    <form className="stack tight" noValidate onSubmit={form.submit}>
      <ErrorPanel error={form.problem} />
      <TextField
        label={words.rename.label}
        hint={words.rename.hint}
        maxLength={100}
        {...form.field('name')}
      />
      <div className="button-row">
        <Button type="submit" busy={form.busy} disabled={form.draft.name.trim() === name}>
          {words.rename.submit}
        </Button>
      </div>
    </form>
  );
}
