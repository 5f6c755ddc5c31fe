import { Link } from 'react-router';
import { InertText } from '../../inert-text/inert-text.tsx';
import { DifferenceList } from '../../parameter-tree/difference-list.tsx';
import { Card } from '../../ui/card.tsx';
import { Icon } from '../../ui/icon.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import type { HashCheck, ShownIntent } from './check-hashes.ts';
import type { Compared } from './compared.ts';

/** What is other than when people last approved this action. */
export function LastTime({
  intent,
  check,
  compared,
}: {
  intent: ShownIntent;
  check: HashCheck;
  compared: Compared | null;
}) {
  const { previous } = intent;
  if (check.kind !== 'same') return null;
  if (!previous || !compared) {
    return (
      <Card title="Compared with last time">
        <p className="soft">
          Nobody has approved <code>{intent.hashed.action}</code> in this project before.
        </p>
      </Card>
    );
  }
  const { changes } = compared;
  return (
    <Card
      title="Compared with last time"
      lead={
        <>
          <InertText text={previous.approved_by} /> approved this action{' '}
          <RelativeTime at={previous.approved_at} />:{' '}
          <Link to={`/approve/${previous.id}`}>look at that request</Link>.
        </>
      }
    >
      {changes.length === 0 ? (
        <p className="approve-same">
          <Icon name="check" /> The parameters are the same as last time.
        </p>
      ) : (
        <>
          <p className="approve-count">
            {changes.length === 1 ? 'One value is' : `${changes.length} values are`} other than last time.
          </p>
          <DifferenceList changes={changes} />
        </>
      )}
    </Card>
  );
}
