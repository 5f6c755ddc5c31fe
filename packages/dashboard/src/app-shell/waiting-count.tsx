import { useWaitingProposals } from '../api/waiting-proposals.ts';

/** How many changes of the project's policy wait for whoever looks, beside the name of its page. */
export function WaitingCount({ projectId }: { projectId: string }) {
  const count = useWaitingProposals().filter(({ project_id }) => project_id === projectId).length;
  if (count === 0) return null;
  return (
    <>
      <span className="nav-count" aria-hidden="true">
        {count}
      </span>
      <span className="unseen">{count} waiting for a second person</span>
    </>
  );
}
