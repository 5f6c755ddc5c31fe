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
import * as policyWords from '../policy.words.ts';
import { proposalsQuery, versionsQuery } from '../policy-queries.ts';
import { Difference } from '../review/difference.tsx';
import type { Policy } from '../wire.ts';
import * as words from './versions.words.ts';

/** All versions, a comparison of any two, and a way to return to an earlier one. */
export function Versions({
  active,
  onRollBack,
}: {
  active: Policy;
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
          isActive={chosen.version === active.version}
          onRollBack={onRollBack}
          onClose={() => show(null)}
        />
      )}
      <Card flush>
        <ul className="policy-versions">
          {versions.map((version) => (
            <li key={version.version}>
              <span className="policy-version-name">
                <strong>{policyWords.versionName(version.version)}</strong>
                {version.version === active.version && <Badge tone="good">{words.active}</Badge>}
              </span>
              <span>
                <Publishers author={version.created_by} approver={approvers.get(version.version)} />
              </span>
              <span className="soft small">
                <RelativeTime at={version.created_at} />
              </span>
              <Hash value={version.hash} what={words.hash} />
              <Button size="s" aria-pressed={shown === version.version} onClick={() => show(version.version)}>
                {words.view} <span className="unseen">{words.viewWhat(version.version)}</span>
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

function Publishers({ author, approver }: { author: string; approver: string | undefined }) {
  if (approver === undefined) return <InertText text={author} />;
  return words.approvedBy(<InertText text={author} />, <InertText text={approver} />);
}

function Comparison({
  chosen,
  versions,
  isActive,
  onRollBack,
  onClose,
}: {
  chosen: Policy;
  versions: readonly Policy[];
  isActive: boolean;
  onRollBack: ((version: Policy) => void) | undefined;
  onClose: () => void;
}) {
  const [against, compare] = useState(chosen.version > 1 ? chosen.version - 1 : (versions[0]?.version ?? 1));
  const other = versions.find(({ version }) => version === against);
  const [before, after] = other && other.version > chosen.version ? [chosen, other] : [other, chosen];
  const options = versions
    .filter(({ version }) => version !== chosen.version)
    .map(({ version }) => ({ value: String(version), label: policyWords.versionName(version) }));
  return (
    <Card
      title={policyWords.versionName(chosen.version)}
      actions={
        <>
          {!isActive && onRollBack && (
            <Button size="s" onClick={() => onRollBack(chosen)}>
              {words.rollBack}
            </Button>
          )}
          <Button size="s" tone="quiet" icon="close" onClick={onClose}>
            {words.close}
          </Button>
        </>
      }
    >
      {options.length === 0 && <p>{words.only}</p>}
      {options.length > 0 && (
        <Select
          label={words.compareWith}
          options={options}
          value={String(against)}
          onChange={(event) => compare(Number(event.target.value))}
        />
      )}
      {before && (
        <>
          <p className="soft small">{words.changes(before.version, after.version)}</p>
          <Difference before={before.policy} after={after.policy} />
        </>
      )}
      {!before && options.length > 0 && <p className="soft">{words.notLoaded(against)}</p>}
    </Card>
  );
}
