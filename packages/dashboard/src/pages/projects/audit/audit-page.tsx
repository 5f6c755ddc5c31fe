import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { Card } from '../../../ui/card.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { Pager } from '../../../ui/pager.tsx';
import { DateTime } from '../../../ui/time.tsx';
import { Waiting } from '../../../ui/waiting.tsx';
import { ProjectPage } from '../project-frame/project-page.tsx';
import { projectPath, useProjectId } from '../project-frame/queries.ts';
import type { AuditEntry, PageOf } from '../project-frame/wire.ts';
import { AuditFilter, type AuditQuery, useAuditQuery } from './audit-filter.tsx';
import { ChainCard } from './chain-card.tsx';
import { describeEvent, IntentLink } from './event-words.tsx';

/** What happened in a project, and whether the record of it is whole. */
export default function AuditPage() {
  const projectId = useProjectId();
  const [query, setQuery] = useAuditQuery();
  return (
    <ProjectPage
      title="Audit"
      lead="Everything that happened here, in one chain of hashes: nothing can be changed, removed or put in between unseen."
    >
      <ChainCard projectId={projectId} />
      <AuditFilter key={JSON.stringify(query)} query={query} onChange={setQuery} />
      <Entries projectId={projectId} query={query} />
    </ProjectPage>
  );
}

function Entries({ projectId, query }: { projectId: string; query: AuditQuery }) {
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery({
      queryKey: ['projects', projectId, 'audit', query],
      queryFn: ({ pageParam, signal }) =>
        api.get<PageOf<AuditEntry>>(projectPath(projectId, '/audit'), {
          query: { ...query, cursor: pageParam },
          signal,
        }),
      initialPageParam: null as string | null,
      getNextPageParam: (page) => page.next_cursor,
    });
  const entries = data?.pages.flatMap((page) => page.data) ?? [];
  if (error) return <ErrorPanel error={error} onRetry={refetch} />;
  if (isPending) return <Waiting />;
  return (
    <>
      {entries.length > 0 && (
        <Card flush>
          <ol className="audit-list" aria-label="Records">
            {entries.map((entry) => (
              <Entry key={entry.id} entry={entry} />
            ))}
          </ol>
        </Card>
      )}
      {entries.length === 0 && (
        <Card>
          <EmptyState
            icon="audit"
            title={hasNextPage ? 'Nothing so far' : 'Nothing matches'}
            lead={
              hasNextPage
                ? 'Ten thousand records were looked through; there are more.'
                : 'Ask for less: take a part of the filter away.'
            }
          />
        </Card>
      )}
      <Pager
        hasMore={hasNextPage}
        isLoading={isFetchingNextPage}
        onMore={fetchNextPage}
        shown={entries.length}
      />
    </>
  );
}

function Entry({ entry }: { entry: AuditEntry }) {
  const [isOpen, setOpen] = useState(false);
  const { actor, intent_id: intentId } = entry;
  return (
    <li className="audit-entry">
      <p>
        <strong>
          <InertText text={actor.display ?? actor.id} />
        </strong>{' '}
        {describeEvent(entry.type, entry.data, actor.id)}
      </p>
      <div className="audit-meta">
        <DateTime at={entry.occurred_at} />
        <span className="tabular">#{entry.seq}</span>
        <span className="mono">{entry.type}</span>
        {intentId && <IntentLink intentId={intentId} />}
      </div>
      <details className="project-fold" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>The record itself</summary>
        {isOpen && <CodeBlock code={JSON.stringify(entry, null, 2)} title={`Record ${entry.seq}`} wrap />}
      </details>
    </li>
  );
}
