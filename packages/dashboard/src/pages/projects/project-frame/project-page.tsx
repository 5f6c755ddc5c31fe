import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useRole, useSignedIn } from '../../../api/session.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { ModeBadge } from '../../../ui/badge.tsx';
import { LinkButton } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Page } from '../../../ui/page.tsx';
import { RelativeTime } from '../../../ui/time.tsx';
import * as words from './project-frame.words.ts';
import { projectQuery, useProjectId } from './queries.ts';
import './project-page.css';

/** The frame of every page of a project: its name and mode above the title, and a notice while it is stopped. */
export function ProjectPage({
  title,
  lead,
  actions,
  width,
  back,
  saysStopped = true,
  children,
}: {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  width?: 'wide' | 'narrow';
  /** The parent page. */
  back?: { to: string; label: string };
  /** False on the page with the emergency stop, which says more about it. */
  saysStopped?: boolean;
  children: ReactNode;
}) {
  const projectId = useProjectId();
  const membership = useSignedIn().memberships.find(({ project_id }) => project_id === projectId);
  if (!membership) return <NoSuchProject />;
  const { project_name: name, mode } = membership;
  return (
    <Page
      title={title}
      documentTitle={`${title} · ${name}`}
      lead={lead}
      actions={actions}
      {...(width && { width })}
      above={
        <span className="project-above">
          <InertText text={name} />
          <ModeBadge mode={mode} />
          {back && (
            <Link to={back.to} className="reachable">
              {back.label}
            </Link>
          )}
        </span>
      }
    >
      {saysStopped && <StoppedNotice projectId={projectId} />}
      {children}
    </Page>
  );
}

function NoSuchProject() {
  return (
    <Page title={words.noProject.title} hideTitle>
      <EmptyState
        icon="settings"
        title={words.noProject.title}
        lead={words.noProject.lead}
        actions={
          <LinkButton to="/projects" tone="primary">
            {words.noProject.back}
          </LinkButton>
        }
      />
    </Page>
  );
}

/** Shown on every page while the project is stopped, for people who wonder why nothing works. */
function StoppedNotice({ projectId }: { projectId: string }) {
  const { data } = useQuery(projectQuery(projectId));
  const { isAtLeast } = useRole(projectId);
  if (!data?.stopped_at) return null;
  return (
    <Notice tone="bad" title={words.stopped}>
      <p>
        {words.stoppedSince(<RelativeTime at={data.stopped_at} />)}{' '}
        <Link to={`/projects/${projectId}/settings`}>
          {isAtLeast('admin') ? words.viewOrStart : words.viewStop}
        </Link>
      </p>
    </Notice>
  );
}
