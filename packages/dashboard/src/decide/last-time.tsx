import { Link } from 'react-router';
import { InertText } from '../inert-text/inert-text.tsx';
import { DifferenceList } from '../parameter-tree/difference-list.tsx';
import { RelativeTime } from '../ui/time.tsx';
import type { Review } from './review.ts';

/** Changes since the last request of this action that people approved. Nothing when the comparison is unreliable. */
export function LastTime({ review: { intent, check, compared } }: { review: Review }) {
  const { previous } = intent;
  if (check.kind !== 'same') return null;
  if (!previous || !compared) {
    return (
      <p className="soft">
        <code>{intent.hashed.action}</code> hasn’t been approved in this project before.
      </p>
    );
  }
  const count = compared.changes.length;
  return (
    <>
      <p className="decide-last soft">
        <InertText text={previous.approved_by} /> approved this action{' '}
        <RelativeTime at={previous.approved_at} />:{' '}
        <Link to={`/approve/${previous.id}`}>view that request</Link>.
      </p>
      {count === 0 ? (
        <p className="decide-count">The parameters are the same as last time.</p>
      ) : (
        <>
          <p className="decide-count">{count === 1 ? '1 value' : `${count} values`} changed</p>
          <DifferenceList changes={compared.changes} />
        </>
      )}
    </>
  );
}
