import { type RefObject, useEffect, useState } from 'react';
import { useSearchParams } from 'react-router';
import { useSignedIn } from '../../api/session.ts';
import { Segmented } from '../../ui/checkbox.tsx';
import { ANY_RISK } from '../../ui/risk-choices.ts';
import { BareSelect } from '../../ui/select.tsx';
import { SearchField } from '../../ui/text-field.tsx';
import { readFilters, withFilter } from './inbox-filters.ts';

const TYPING_MS = 250;

/** Every filter stands in the address. */
export function FilterBar({ search }: { search: RefObject<HTMLElement | null> }) {
  const [params, setParams] = useSearchParams();
  const filters = readFilters(params);
  const { memberships } = useSignedIn();
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
      {memberships.length > 1 && (
        <BareSelect
          aria-label="Project"
          value={filters.project}
          options={[
            { value: '', label: 'All projects' },
            ...memberships.map(({ project_id, project_name, mode }) => ({
              value: project_id,
              label: mode === 'test' ? `${project_name} (test)` : project_name,
            })),
          ]}
          onChange={(event) => set('project')(event.target.value)}
        />
      )}
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

/** Takes effect when one stops typing. */
export function TypedField({
  label,
  placeholder,
  value,
  onValue,
  isSearch = false,
}: {
  label: string;
  placeholder: string;
  value: string;
  onValue: (value: string) => void;
  isSearch?: boolean;
}) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is typed is what counts
  useEffect(() => {
    if (typed.trim() === value) return;
    const timer = setTimeout(() => onValue(typed.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const common = {
    value: typed,
    placeholder,
    maxLength: 200,
    onChange: (event: React.ChangeEvent<HTMLInputElement>) => setTyped(event.target.value),
  };
  if (isSearch) return <SearchField label={label} {...common} />;
  return <input {...common} className="input" aria-label={label} spellCheck={false} autoComplete="off" />;
}
