import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { reading } from '../../../../api/reading.ts';
import type { Wire } from '../../../../api/wire.ts';
import { InertText } from '../../../../inert-text/inert-text.tsx';
import { StatusBadge } from '../../../../ui/badge.tsx';
import { ErrorPanel } from '../../../../ui/notice.tsx';
import { SearchField } from '../../../../ui/text-field.tsx';
import { RelativeTime } from '../../../../ui/time.tsx';
import { Skeleton } from '../../../../ui/waiting.tsx';
import { useProjectId } from '../../project-frame/queries.ts';
import * as words from './try-it.words.ts';

/** The latest requests of the project, to choose one from. */
export function PastRequests({ onChoose }: { onChoose: (intentId: string) => void }) {
  const projectId = useProjectId();
  const [q, search] = useState('');
  const [chosen, choose] = useState('');
  const key = ['projects', projectId, 'policy', 'past', q];
  const query = { project: projectId, q, limit: 20 };
  const { data, error } = useQuery(reading<Wire<'HistoryPage'>>(key, '/console/history', query));
  return (
    <div className="stack tight">
      <SearchField
        label={words.searchPast}
        placeholder={words.searchPast}
        value={q}
        onChange={(event) => search(event.target.value)}
      />
      <ErrorPanel error={error} />
      {!data && !error && <Skeleton />}
      {data?.data.length === 0 && <p className="soft">{words.noMatch}</p>}
      <ul className="policy-past">
        {data?.data.map((item) => (
          <li key={item.id}>
            <button
              type="button"
              aria-pressed={chosen === item.id}
              onClick={() => {
                choose(item.id);
                onChoose(item.id);
              }}
            >
              <strong>
                <InertText text={item.action} />
              </strong>
              <StatusBadge status={item.status} />
              <span className="soft small">
                <RelativeTime at={item.created_at} />
              </span>
              <span className="policy-past-params mono small">
                <InertText text={item.params_preview.text} />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
