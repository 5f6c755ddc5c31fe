import { Link } from 'react-router';
import { renew } from '../../api/query-client.ts';
import { useSignedIn } from '../../api/session.ts';
import { useWaitingProposals, waitingProposalsQuery } from '../../api/waiting-proposals.ts';
import { InertText } from '../../inert-text/inert-text.tsx';
import { useLive } from '../../live/live.ts';
import { Notice } from '../../ui/notice.tsx';
import * as words from './inbox.words.ts';

/** Policy changes that the reader can approve, one line per project, kept up to date. */
export function WaitingProposals() {
  const { memberships } = useSignedIn();
  const waiting = useWaitingProposals();
  const readAgain = () => void renew(waitingProposalsQuery.queryKey);
  useLive({
    onChange: ({ type }) => {
      if (type.startsWith('policy.') || type === 'many') readAgain();
    },
    onReset: readAgain,
  });
  return memberships.map(({ project_id, project_name }) => {
    const count = waiting.filter((proposal) => proposal.project_id === project_id).length;
    if (count === 0) return null;
    return (
      <Notice key={project_id} tone="warn">
        <Link to={`/projects/${project_id}/policy`}>
          {words.proposedChanges(count, <InertText text={project_name} />)}
        </Link>
      </Notice>
    );
  });
}
