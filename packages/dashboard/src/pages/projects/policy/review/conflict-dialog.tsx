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

/**
 * Somebody else published a version during editing. Shows what they changed, and offers to keep or discard the draft.
 */
export function ConflictDialog({
  base,
  onKeep,
  onTake,
  onClose,
}: {
  /** The version from which the reader's own draft started. */
  base: Policy['policy'];
  /** Keeps the reader's own draft, as a change to their version. */
  onKeep: (theirs: Policy) => void;
  /** Discards the reader's own draft. */
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
