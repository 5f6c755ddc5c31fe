import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { ListState, ManagedPage } from '../project-frame/managed-page.tsx';
import { keysQuery } from '../project-frame/queries.ts';
import { KeyTable } from './key-table.tsx';
import { MakeKeyDialog } from './make-key-dialog.tsx';
import { OwnTokensCard } from './own-tokens-card.tsx';

/** The keys of a project, for those who manage it, and one's own tokens, for everybody. */
export default function KeysPage() {
  return (
    <ManagedPage
      title="Keys"
      lead="What programs sign in with. Each is shown once, when it is made."
      makeLabel="New key"
      hidden="The keys of this project are seen and made by its admins and owners."
      list={(projectId) => <ProjectKeys projectId={projectId} />}
      maker={(projectId, onClose) => <MakeKeyDialog projectId={projectId} onClose={onClose} />}
    >
      <OwnTokensCard />
    </ManagedPage>
  );
}

function ProjectKeys({ projectId }: { projectId: string }) {
  const query = useQuery(keysQuery(projectId));
  const { data } = query;
  const [withEnded, setWithEnded] = useState(false);
  const keys = data?.items.filter((key) => withEnded || key.revoked_at === null) ?? [];
  const ended = data?.items.filter((key) => key.revoked_at !== null).length ?? 0;
  return (
    <>
      <ListState
        query={query}
        isEmpty={keys.length === 0}
        empty={
          <EmptyState
            icon="key"
            title="No keys"
            lead="No program can reach this project. Register an agent, and it gets a key on the way."
          />
        }
      />
      {keys.length > 0 && <KeyTable projectId={projectId} keys={keys} />}
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
