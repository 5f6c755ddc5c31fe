import { Link } from 'react-router';
import { InertText } from '../inert-text/inert-text.tsx';
import { DifferenceList } from '../parameter-tree/difference-list.tsx';
import { RelativeTime } from '../ui/time.tsx';
import * as words from './last-time.words.ts';
import type { Review } from './review.ts';

/** Changes since the last request of this action that people approved. Nothing when the comparison is unreliable. */
export function LastTime({ review: { intent, check, compared } }: { review: Review }) {
  const { previous } = intent;
  if (check.kind !== 'same') return null;
  if (!previous || !compared) {
    return <p className="soft">{words.neverApproved(<code>{intent.hashed.action}</code>)}</p>;
  }
  const count = compared.changes.length;
  return (
    <>
      <p className="decide-last soft">
        {words.approvedBefore(
          <InertText text={previous.approved_by} />,
          <RelativeTime at={previous.approved_at} />,
          <Link to={`/approve/${previous.id}`}>{words.viewThatRequest}</Link>,
        )}
      </p>
      {count === 0 ? (
        <p className="decide-count">{words.noChanges}</p>
      ) : (
        <>
          <p className="decide-count">{words.changes(count)}</p>
          <DifferenceList changes={compared.changes} />
        </>
      )}
    </>
  );
}
