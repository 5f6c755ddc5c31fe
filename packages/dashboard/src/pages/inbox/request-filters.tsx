import type { ReactNode, RefObject } from 'react';
import { ANY_RISK } from '../../ui/any-risk.ts';
import { BareSelect } from '../../ui/select.tsx';
import { TypedField } from '../../ui/typed-field.tsx';
import { ProjectFilter } from './project-filter.tsx';
import * as words from './request-list.words.ts';

type Shared = 'q' | 'project' | 'risk_tier' | 'action';

/** The filters that the lists of pending and of decided requests share, with slots for those of one list. */
export function RequestFilters({
  className,
  search,
  filters,
  set,
  first,
  children,
}: {
  className: string;
  search?: RefObject<HTMLElement | null>;
  filters: Readonly<Record<Shared, string>>;
  set: (name: Shared) => (value: string) => void;
  /** Next to the search: the list's main filter. */
  first: ReactNode;
  /** After the other filters. */
  children: ReactNode;
}) {
  return (
    <search className={className} ref={search}>
      <TypedField
        label={words.search}
        placeholder={words.searchPlaceholder}
        value={filters.q}
        onValue={set('q')}
        isSearch
      />
      {first}
      <ProjectFilter value={filters.project} onValue={set('project')} />
      <BareSelect
        aria-label={words.risk}
        value={filters.risk_tier}
        options={ANY_RISK}
        onChange={(event) => set('risk_tier')(event.target.value)}
      />
      <TypedField
        label={words.action}
        placeholder={words.actionPlaceholder}
        value={filters.action}
        onValue={set('action')}
      />
      {children}
    </search>
  );
}
