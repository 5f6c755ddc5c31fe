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
import * as words from './review.words.ts';

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
  /** Keeps the reader's own draft, as a change to the version that the other person published. */
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
      title={words.conflictDialog.title}
      onClose={onClose}
      actions={
        theirs && (
          <>
            <Button onClick={() => onTake(theirs)}>{words.conflictDialog.discardMine}</Button>
            <Button tone="primary" onClick={() => onKeep(theirs)}>
              {words.conflictDialog.keepMine}
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
            {words.theirs(
              theirs.version,
              <InertText text={theirs.created_by} />,
              <RelativeTime at={theirs.created_at} />,
            )}
          </p>
          <Difference before={base} after={theirs.policy} />
          <p className="soft small">{words.conflictDialog.keepConsequence}</p>
        </>
      )}
    </Dialog>
  );
}
