import { NavLink } from 'react-router';
import type { Membership } from '../api/session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { PROJECT_PAGES } from './project-pages.ts';
import { WaitingCount } from './waiting-count.tsx';

/** The list of project pages on a phone. Choosing one closes it. */
export default function ProjectSheet({ project, onClose }: { project: Membership; onClose: () => void }) {
  return (
    <Dialog open title={project.project_name} onClose={onClose}>
      <ul className="nav-list nav-sheet">
        {PROJECT_PAGES.map(({ path, label, icon }) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: people press the link inside, by mouse or key
          <li key={path} onClick={onClose}>
            <NavLink to={`/projects/${project.project_id}/${path}`} className="nav-item">
              <Icon name={icon} />
              {label}
              {path === 'policy' && <WaitingCount projectId={project.project_id} />}
            </NavLink>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
