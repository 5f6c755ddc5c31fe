import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { Listing } from '../../../ui/listing.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { ManagedPage } from '../project-frame/managed-page.tsx';
import { keysQuery, useProjectId } from '../project-frame/queries.ts';
import { KeyTable } from './key-table.tsx';
import * as words from './keys.words.ts';
import { MakeKeyDialog } from './make-key-dialog.tsx';
import { OwnTokensCard } from './own-tokens-card.tsx';

/** The project's keys, for people who manage it, and the reader's own tokens, for everybody. */
export default function KeysPage() {
  return (
    <ManagedPage
      title={words.title}
      lead={words.lead}
      makeLabel={words.create}
      hidden={words.hidden}
      list={<ProjectKeys />}
      maker={(onClose) => <MakeKeyDialog onClose={onClose} />}
    >
      <OwnTokensCard />
    </ManagedPage>
  );
}

function ProjectKeys() {
  const query = useQuery(keysQuery(useProjectId()));
  const { data } = query;
  const [withEnded, setWithEnded] = useState(false);
  const keys = data?.items.filter((key) => withEnded || key.revoked_at === null) ?? [];
  const ended = data?.items.filter((key) => key.revoked_at !== null).length ?? 0;
  return (
    <>
      <Listing query={query} count={keys.length} empty={{ icon: 'key', ...words.empty }}>
        <KeyTable keys={keys} />
      </Listing>
      {data?.isCut && <Notice>{words.onlyNewest(data.items.length)}</Notice>}
      {ended > 0 && (
        <Checkbox
          label={words.showRevoked(ended)}
          checked={withEnded}
          onChange={(event) => setWithEnded(event.target.checked)}
        />
      )}
    </>
  );
}
