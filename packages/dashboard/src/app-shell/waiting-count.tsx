import { useWaitingProposals } from '../api/waiting-proposals.ts';
import * as words from './app-shell.words.ts';

/** The number of policy changes in the project that the reader can approve, next to the page's name. */
export function WaitingCount({ projectId }: { projectId: string }) {
  const count = useWaitingProposals().filter(({ project_id }) => project_id === projectId).length;
  if (count === 0) return null;
  return (
    <>
      <span className="nav-count" aria-hidden="true">
        {count}
      </span>
      <span className="unseen">{words.changesToReview(count)}</span>
    </>
  );
}
