import { useParams } from 'react-router';
import { useSignedIn } from '../api/session.ts';
import { Icon } from '../ui/icon.tsx';
import * as words from './app-shell.words.ts';

/** Shown on every page of a test project, and on all pages for people who are in test projects only. */
export function TestBanner() {
  const { memberships } = useSignedIn();
  const { projectId } = useParams();
  const here = memberships.filter(({ project_id }) => projectId === undefined || project_id === projectId);
  if (here.length === 0 || here.some(({ mode }) => mode !== 'test')) return null;
  return (
    <div className="test-banner">
      <span>
        <Icon name="alert" size={14} /> <strong>{words.testMode}</strong>{' '}
        {words.testModeMeans(
          projectId === undefined && here.length > 1 ? words.theseProjects : words.thisProject,
        )}
      </span>
    </div>
  );
}
