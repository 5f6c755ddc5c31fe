import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { InertText } from '../../../../inert-text/inert-text.tsx';
import { Badge } from '../../../../ui/badge.tsx';
import { Button } from '../../../../ui/button.tsx';
import { Card } from '../../../../ui/card.tsx';
import { Hash } from '../../../../ui/hash.tsx';
import { ErrorPanel } from '../../../../ui/notice.tsx';
import { Pager } from '../../../../ui/pager.tsx';
import { Select } from '../../../../ui/select.tsx';
import { RelativeTime } from '../../../../ui/time.tsx';
import { Skeleton } from '../../../../ui/waiting.tsx';
import { useProjectId } from '../../project-frame/queries.ts';
import { proposalsQuery, versionsQuery } from '../policy-queries.ts';
import { Difference } from '../review/difference.tsx';
import type { Policy } from '../wire.ts';

/** All versions, a comparison of any two, and a way to return to an earlier one. */
export function Versions({
  inForce,
  onRollBack,
}: {
  inForce: Policy;
  /** Undefined for people who cannot change the policy. */
  onRollBack: ((version: Policy) => void) | undefined;
}) {
  const projectId = useProjectId();
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    versionsQuery(projectId),
  );
  const { data: proposals } = useQuery(proposalsQuery(projectId));
  const [shown, show] = useState<number | null>(null);
  const versions = data?.pages.flatMap((page) => page.data) ?? [];
  const approvers = new Map(
    proposals?.data.flatMap(({ version, resolved_by: by }) => (version && by ? [[version, by.display]] : [])),
  );
  const chosen = versions.find(({ version }) => version === shown);
  if (!data && !error) return <Skeleton />;
  return (
    <div className="stack">
      <ErrorPanel error={error} />
      {chosen && (
        <Comparison
          key={chosen.version}
          chosen={chosen}
          versions={versions}
          isInForce={chosen.version === inForce.version}
          onRollBack={onRollBack}
          onClose={() => show(null)}
        />
      )}
      <Card flush>
        <ul className="policy-versions">
          {versions.map((version) => (
            <li key={version.version}>
              <span className="policy-version-name">
                <strong>Version {version.version}</strong>
                {version.version === inForce.version && <Badge tone="good">In force</Badge>}
              </span>
              <span>
                <InertText text={version.created_by} />
                {approvers.has(version.version) && (
                  <>
                    , approved by <InertText text={approvers.get(version.version) ?? ''} />
                  </>
                )}
              </span>
              <span className="soft small">
                <RelativeTime at={version.created_at} />
              </span>
              <Hash value={version.hash} what="the hash of this version" />
              <Button size="s" aria-pressed={shown === version.version} onClick={() => show(version.version)}>
                Look at it <span className="unseen">(version {version.version})</span>
              </Button>
            </li>
          ))}
        </ul>
        <Pager
          hasMore={hasNextPage}
          isLoading={isFetchingNextPage}
          onMore={() => void fetchNextPage()}
          shown={versions.length}
        />
      </Card>
    </div>
  );
}

function Comparison({
  chosen,
  versions,
  isInForce,
  onRollBack,
  onClose,
}: {
  chosen: Policy;
  versions: readonly Policy[];
  isInForce: boolean;
  onRollBack: ((version: Policy) => void) | undefined;
  onClose: () => void;
}) {
  const [against, compare] = useState(chosen.version > 1 ? chosen.version - 1 : (versions[0]?.version ?? 1));
  const other = versions.find(({ version }) => version === against);
  const [before, after] = other && other.version > chosen.version ? [chosen, other] : [other, chosen];
  const options = versions
    .filter(({ version }) => version !== chosen.version)
    .map(({ version }) => ({ value: String(version), label: `Version ${version}` }));
  return (
    <Card
      title={`Version ${chosen.version}`}
      actions={
        <>
          {!isInForce && onRollBack && (
            <Button size="s" onClick={() => onRollBack(chosen)}>
              Roll back to this
            </Button>
          )}
          <Button size="s" tone="quiet" icon="close" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      {options.length === 0 && <p>It is the only one; there is nothing to compare it with.</p>}
      {options.length > 0 && (
        <Select
          label="Compared with"
          options={options}
          value={String(against)}
          onChange={(event) => compare(Number(event.target.value))}
        />
      )}
      {before && (
        <>
          <p className="soft small">
            From version {before.version} to version {after.version}.
          </p>
          <Difference before={before.policy} after={after.policy} />
        </>
      )}
      {!before && options.length > 0 && (
        <p className="soft">Load more versions to compare it with that one.</p>
      )}
    </Card>
  );
}
