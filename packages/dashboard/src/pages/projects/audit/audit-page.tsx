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
import * as words from './audit.words.ts';
import { AuditFilter, type AuditQuery, useAuditQuery } from './audit-filter.tsx';
import { ChainCard } from './chain-card.tsx';
import { describeEvent, IntentLink } from './describe-event.tsx';

/** The audit log of a project, and the check that it is intact. */
export default function AuditPage() {
  const [query, setQuery] = useAuditQuery();
  return (
    <ProjectPage title={words.title} lead={words.lead}>
      <ChainCard />
      <AuditFilter key={JSON.stringify(query)} query={query} onChange={setQuery} />
      <Entries query={query} />
    </ProjectPage>
  );
}

function Entries({ query }: { query: AuditQuery }) {
  const { projectId, path } = useProject();
  const key = ['projects', projectId, 'audit', query];
  const found = useInfiniteQuery(readingPages<PageOf<AuditEntry>>(key, path('/audit'), query));
  const entries = found.data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <Listing
      query={found}
      count={entries.length}
      empty={{ icon: 'audit', ...(found.hasNextPage ? words.notSearchedYet : words.noMatch) }}
    >
      <ol className="audit-list" aria-label={words.list}>
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
        <summary>{words.rawEvent}</summary>
        {isOpen && (
          <CodeBlock code={JSON.stringify(entry, null, 2)} title={words.eventNumber(entry.seq)} wrap />
        )}
      </details>
    </li>
  );
}
