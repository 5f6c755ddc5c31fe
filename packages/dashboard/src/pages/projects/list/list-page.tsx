import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { ModeBadge, StatusBadge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { Page } from '../../../ui/page.tsx';
import { Waiting } from '../../../ui/waiting.tsx';
import { ownProjectsQuery } from '../project-frame/queries.ts';
import type { OwnProject } from '../project-frame/wire.ts';
import { CreateProjectDialog } from './create-project-dialog.tsx';
import * as words from './list.words.ts';
import './list-page.css';

/** The person's projects, with live and test ones apart. */
export default function ListPage() {
  const [isCreating, setCreating] = useState(false);
  const { data, error, isPending, refetch } = useQuery(ownProjectsQuery);
  const projects = data?.data ?? [];
  const create = data?.may_create && (
    <Button tone="primary" icon="plus" onClick={() => setCreating(true)}>
      {words.create}
    </Button>
  );
  return (
    <Page title={words.title} lead={words.lead} actions={create}>
      <ErrorPanel error={error} onRetry={refetch} />
      {isPending && <Waiting />}
      {data && projects.length === 0 && <EmptyState icon="overview" {...words.empty} />}
      <Projects {...words.modes.live} projects={projects.filter(({ mode }) => mode === 'live')} />
      <Projects {...words.modes.test} projects={projects.filter(({ mode }) => mode === 'test')} />
      {isCreating && <CreateProjectDialog onClose={() => setCreating(false)} />}
    </Page>
  );
}

function Projects({
  title,
  lead,
  projects,
}: {
  title: string;
  lead: string;
  projects: readonly OwnProject[];
}) {
  if (projects.length === 0) return null;
  return (
    <section className="stack tight">
      <h2>{title}</h2>
      <p className="soft small">{lead}</p>
      <ul className="list-projects">
        {projects.map((project) => (
          <li key={project.id}>
            <Project project={project} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Project({ project }: { project: OwnProject }) {
  return (
    <article className="card list-project" data-mode={project.mode}>
      <div className="row apart">
        <h3>
          <Link to={`/projects/${project.id}/overview`}>
            <InertText text={project.name} />
          </Link>
        </h3>
        <span className="row">
          {project.stopped_at && <StatusBadge status="stopped" />}
          <ModeBadge mode={project.mode} />
        </span>
      </div>
      <p className="soft small">
        {words.pending(project.pending)}
        {' · '}
        {words.members(project.members)}
        {' · '}
        {words.yourRole(project.role)}
      </p>
    </article>
  );
}
