import type { JsonObject } from '@permitry/protocol';
import { useMemo } from 'react';
import { Link } from 'react-router';
import { InertText } from '../../inert-text/inert-text.tsx';
import { findChanges } from '../../parameter-tree/difference.ts';
import { DifferenceList } from '../../parameter-tree/difference-list.tsx';
import { Card } from '../../ui/card.tsx';
import { Icon } from '../../ui/icon.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import type { HashCheck, ShownIntent } from './check-hashes.ts';

/** What is other than when people last approved this action. */
export function LastTime({ intent, check }: { intent: ShownIntent; check: HashCheck }) {
  const { previous } = intent;
  if (check.kind !== 'same') return null;
  if (!previous) {
    return (
      <Card title="Compared with last time">
        <p className="soft">
          Nobody has approved <code>{intent.hashed.action}</code> in this project before.
        </p>
      </Card>
    );
  }
  return <Compared previous={previous} params={check.params} />;
}

function Compared({
  previous,
  params,
}: {
  previous: NonNullable<ShownIntent['previous']>;
  params: JsonObject;
}) {
  const changes = useMemo(
    () => findChanges(JSON.parse(previous.canonical_params) as JsonObject, params),
    [previous.canonical_params, params],
  );
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
