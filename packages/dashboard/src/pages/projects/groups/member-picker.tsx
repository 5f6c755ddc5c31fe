import { foldEmailAddress } from '@permitry/protocol';
import { useId, useState } from 'react';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { SearchField } from '../../../ui/text-field.tsx';
import type { Member } from '../project-frame/wire.ts';
import * as words from './groups.words.ts';
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
      <legend className="field-label">{words.picker.legend}</legend>
      {members.length >= SEARCHED_FROM && (
        <SearchField
          label={words.picker.search}
          placeholder={words.picker.searchShort}
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
            hint={role === 'viewer' && chosen.has(email) ? words.picker.viewer : undefined}
            checked={chosen.has(email)}
            onChange={() => toggle(email)}
          />
        ))}
        {found.length === 0 && <p className="soft">{words.picker.noMatch}</p>}
      </div>
      <p className="soft small" id={id}>
        {words.selected(chosen.size)}
      </p>
    </fieldset>
  );
}
