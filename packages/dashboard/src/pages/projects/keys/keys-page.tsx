import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { Listing } from '../../../ui/listing.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { ManagedPage } from '../project-frame/managed-page.tsx';
import { keysQuery, useProjectId } from '../project-frame/queries.ts';
import { KeyTable } from './key-table.tsx';
import { MakeKeyDialog } from './make-key-dialog.tsx';
import { OwnTokensCard } from './own-tokens-card.tsx';

/** The project's keys, for people who manage it, and the reader's own tokens, for everybody. */
export default function KeysPage() {
  return (
    <ManagedPage
      title="Keys"
      lead="What programs sign in with. Each is shown once, when it is made."
      makeLabel="New key"
      hidden="The keys of this project are seen and made by its admins and owners."
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
      <Listing
        query={query}
        count={keys.length}
        empty={{
          icon: 'key',
          title: 'No keys',
          lead: 'No program can reach this project. Register an agent, and it gets a key on the way.',
        }}
      >
        <KeyTable keys={keys} />
      </Listing>
      {data?.isCut && <Notice>Only the newest {data.items.length} keys are shown.</Notice>}
      {ended > 0 && (
        <Checkbox
          label={`Show revoked keys (${ended})`}
          checked={withEnded}
          onChange={(event) => setWithEnded(event.target.checked)}
        />
      )}
    </>
  );
}
