import type { RefObject } from 'react';
import { useSearchParams } from 'react-router';
import { Segmented } from '../../ui/segmented.tsx';
import { TypedField } from '../../ui/typed-field.tsx';
import * as words from './inbox.words.ts';
import { readFilters, withFilter } from './inbox-filters.ts';
import { RequestFilters } from './request-filters.tsx';

/** The URL holds every filter. */
export function FilterBar({ search }: { search: RefObject<HTMLElement | null> }) {
  const [params, setParams] = useSearchParams();
  const filters = readFilters(params);
  const set = (name: string) => (value: string) =>
    setParams((before) => withFilter(before, name, value), { replace: true });
  return (
    <RequestFilters
      className="inbox-filters"
      search={search}
      filters={filters}
      set={set}
      first={
        <Segmented
          legend={words.shown}
          options={[
            { value: '', label: words.all },
            { value: 'true', label: words.forMyReview },
          ]}
          value={filters.can_decide === 'true' ? 'true' : ''}
          onChange={set('can_decide')}
        />
      }
    >
      <TypedField
        label={words.requester}
        placeholder={words.requesterPlaceholder}
        value={filters.source}
        onValue={set('source')}
      />
    </RequestFilters>
  );
}
