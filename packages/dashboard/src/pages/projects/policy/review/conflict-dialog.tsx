import { useQuery } from '@tanstack/react-query';
import { InertText } from '../../../../inert-text/inert-text.tsx';
import { Button } from '../../../../ui/button.tsx';
import { Dialog } from '../../../../ui/dialog.tsx';
import { ErrorPanel } from '../../../../ui/notice.tsx';
import { RelativeTime } from '../../../../ui/time.tsx';
import { Waiting } from '../../../../ui/waiting.tsx';
import { useProjectId } from '../../project-frame/queries.ts';
import { policyQuery } from '../policy-queries.ts';
import type { Policy } from '../wire.ts';
import { Difference } from './difference.tsx';

/** Somebody else's version came in force while one wrote: what they changed, and what to do with one's own. */
export function ConflictDialog({
  base,
  onKeep,
  onTake,
  onClose,
}: {
  /** What one's own draft was made from. */
  base: Policy['policy'];
  /** One's own draft becomes a change of theirs. */
  onKeep: (theirs: Policy) => void;
  /** One's own draft is given up. */
  onTake: (theirs: Policy) => void;
  onClose: () => void;
}) {
  const { data: theirs, error } = useQuery({
    ...policyQuery(useProjectId()),
    staleTime: 0,
    refetchOnMount: 'always',
  });
  return (
    <Dialog
      open
      width="wide"
      title="What somebody else put in force"
      onClose={onClose}
      actions={
        theirs && (
          <>
            <Button onClick={() => onTake(theirs)}>Give up my draft</Button>
            <Button tone="primary" onClick={() => onKeep(theirs)}>
              Keep my draft, in place of theirs
            </Button>
          </>
        )
      }
    >
      <ErrorPanel error={error} />
      {!theirs && !error && <Waiting />}
      {theirs && (
        <>
          <p>
            Version {theirs.version} by <InertText text={theirs.created_by} />,{' '}
            <RelativeTime at={theirs.created_at} />, against what you began from:
          </p>
          <Difference before={base} after={theirs.policy} />
          <p className="soft small">
            With your own draft you go on from theirs: what you did not write down as they did, it undoes. You
            see it all once more before it is in force.
          </p>
        </>
      )}
    </Dialog>
  );
}
