import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type PageOf, readingPages } from '../../../api/reading.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Listing } from '../../../ui/listing.tsx';
import { DateTime } from '../../../ui/time.tsx';
import { ProjectPage } from '../project-frame/project-page.tsx';
import { useProject } from '../project-frame/queries.ts';
import type { AuditEntry } from '../project-frame/wire.ts';
import { AuditFilter, type AuditQuery, useAuditQuery } from './audit-filter.tsx';
import { ChainCard } from './chain-card.tsx';
import { describeEvent, IntentLink } from './event-words.tsx';

/** The audit log of a project, and the check that it is intact. */
export default function AuditPage() {
  const [query, setQuery] = useAuditQuery();
  return (
    <ProjectPage
      title="Audit"
      lead="Everything that happened here, in one chain of hashes: nothing can be changed, removed or put in between unseen."
    >
      <ChainCard />
      <AuditFilter key={JSON.stringify(query)} query={query} onChange={setQuery} />
      <Entries query={query} />
    </ProjectPage>
  );
}

function Entries({ query }: { query: AuditQuery }) {
  const { projectId, path } = useProject();
  const key = ['projects', projectId, 'audit', query];
  const asked = useInfiniteQuery(readingPages<PageOf<AuditEntry>>(key, path('/audit'), query));
  const entries = asked.data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <Listing
      query={asked}
      count={entries.length}
      empty={
        asked.hasNextPage
          ? {
              icon: 'audit',
              title: 'Nothing so far',
              lead: 'Ten thousand records were looked through; there are more.',
            }
          : {
              icon: 'audit',
              title: 'Nothing matches',
              lead: 'Ask for less: take a part of the filter away.',
            }
      }
    >
      <ol className="audit-list" aria-label="Records">
        {entries.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
      </ol>
    </Listing>
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
