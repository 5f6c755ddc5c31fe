import { foldEmailAddress } from '@permitry/protocol';
import { useId, useState } from 'react';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { SearchField } from '../../../ui/text-field.tsx';
import type { Member } from '../project-frame/wire.ts';
import './member-picker.css';

const SEARCHED_FROM = 8;

/** Members with checkboxes, and a search box when there are many. */
export function MemberPicker({
  members,
  chosen,
  onChange,
}: {
  members: readonly Member[];
  /** By email address. */
  chosen: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
}) {
  const [search, setSearch] = useState('');
  const id = useId();
  const found = members.filter(({ email }) => email.includes(foldEmailAddress(search.trim())));
  const toggle = (email: string) => {
    const next = new Set(chosen);
    if (!next.delete(email)) next.add(email);
    onChange(next);
  };
  return (
    <fieldset className="stack tight" aria-describedby={id}>
      <legend className="field-label">Members</legend>
      {members.length >= SEARCHED_FROM && (
        <SearchField
          label="Search members"
          placeholder="Search"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      )}
      <div className="member-picker">
        {found.map(({ id: userId, email, role }) => (
          <Checkbox
            key={userId}
            label={
              <>
                <InertText text={email} /> <span className="soft">{role}</span>
              </>
            }
            hint={
              role === 'viewer' && chosen.has(email)
                ? 'A viewer does not approve, whatever the group.'
                : undefined
            }
            checked={chosen.has(email)}
            onChange={() => toggle(email)}
          />
        ))}
        {found.length === 0 && <p className="soft">Nobody is called so.</p>}
      </div>
      <p className="soft small" id={id}>
        {chosen.size === 1 ? 'One member chosen' : `${chosen.size} members chosen`}
      </p>
    </fieldset>
  );
}
