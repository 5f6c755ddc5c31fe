import type { RefObject } from 'react';
import { useSearchParams } from 'react-router';
import { Segmented } from '../../ui/checkbox.tsx';
import { ANY_RISK } from '../../ui/risk-choices.ts';
import { BareSelect } from '../../ui/select.tsx';
import { TypedField } from '../../ui/typed-field.tsx';
import { readFilters, withFilter } from './inbox-filters.ts';
import { ProjectFilter } from './project-filter.tsx';

/** Every filter stands in the address. */
export function FilterBar({ search }: { search: RefObject<HTMLElement | null> }) {
  const [params, setParams] = useSearchParams();
  const filters = readFilters(params);
  const set = (name: string) => (value: string) =>
    setParams((before) => withFilter(before, name, value), { replace: true });
  return (
    <search className="inbox-filters" ref={search}>
      <TypedField
        label="Search action, requester or id"
        placeholder="Search"
        value={filters.q}
        onValue={set('q')}
        isSearch
      />
      <Segmented
        legend="Whose decision"
        options={[
          { value: '', label: 'All' },
          { value: 'true', label: 'Mine to decide' },
        ]}
        value={filters.can_decide === 'true' ? 'true' : ''}
        onChange={set('can_decide')}
      />
      <ProjectFilter value={filters.project} onValue={set('project')} />
      <BareSelect
        aria-label="Risk"
        value={filters.risk_tier}
        options={ANY_RISK}
        onChange={(event) => set('risk_tier')(event.target.value)}
      />
      <TypedField
        label="Action, or its beginning and *"
        placeholder="Action, e.g. deploy.*"
        value={filters.action}
        onValue={set('action')}
      />
      <TypedField
        label="Requester, by full name"
        placeholder="Requester’s name"
        value={filters.source}
        onValue={set('source')}
      />
    </search>
  );
}
