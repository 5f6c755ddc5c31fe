import { useLocation, useNavigate } from 'react-router';
import { useSignedIn } from '../api/session.ts';
import { ModeBadge } from '../ui/badge.tsx';
import { BareSelect } from '../ui/select.tsx';
import * as words from './app-shell.words.ts';
import { useCurrentProject } from './current-project.ts';

/** The value of the "all projects" entry; no project ID looks like it. */
const ALL = 'all';

/** Opens the same page of another project, or that project's overview. */
export function ProjectSwitcher() {
  const { memberships } = useSignedIn();
  const current = useCurrentProject();
  const { pathname } = useLocation();
  const navigate = useNavigate();
  if (memberships.length === 0) return null;

  const choose = (projectId: string) => {
    if (projectId === ALL) {
      navigate('/projects');
      return;
    }
    const page = /^\/projects\/[^/]+\/([^/]+)/.exec(pathname)?.[1] ?? 'overview';
    navigate(`/projects/${projectId}/${page}`);
  };
  // A test project and a live one often share a name; the badge tells them apart.
  const isTaken = (name: string) => memberships.filter((one) => one.project_name === name).length > 1;
  return (
    <div className="project-switcher">
      <BareSelect
        aria-label={words.project}
        value={current?.project_id ?? ''}
        options={[
          ...(current ? [] : [{ value: '', label: words.chooseProject }]),
          ...memberships.map(({ project_id, project_name, mode }) => ({
            value: project_id,
            label: isTaken(project_name) ? words.projectInMode(project_name, mode) : project_name,
          })),
          { value: ALL, label: words.allProjects },
        ]}
        onChange={(event) => choose(event.target.value)}
      />
      {current && <ModeBadge mode={current.mode} />}
    </div>
  );
}
