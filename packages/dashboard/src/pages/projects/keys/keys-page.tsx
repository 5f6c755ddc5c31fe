import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useRole } from '../../../api/session.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorPanel, Notice } from '../../../ui/notice.tsx';
import { Waiting } from '../../../ui/waiting.tsx';
import { ProjectPage } from '../project-frame/project-page.tsx';
import { keysQuery, useProjectId } from '../project-frame/queries.ts';
import { KeyTable } from './key-table.tsx';
import { MakeKeyDialog } from './make-key-dialog.tsx';
import { OwnTokensCard } from './own-tokens-card.tsx';

/** The keys of a project, for those who manage it, and one's own tokens, for everybody. */
export default function KeysPage() {
  const projectId = useProjectId();
  const { isAtLeast } = useRole(projectId);
  const [isMaking, setMaking] = useState(false);
  const mayManage = isAtLeast('admin');
  return (
    <ProjectPage
      title="Keys"
      lead="What programs sign in with. Each is shown once, when it is made."
      actions={
        mayManage && (
          <Button tone="primary" icon="plus" onClick={() => setMaking(true)}>
            New key
          </Button>
        )
      }
    >
      {mayManage ? (
        <ProjectKeys projectId={projectId} />
      ) : (
        <Notice>The keys of this project are seen and made by its admins and owners.</Notice>
      )}
      <OwnTokensCard />
      {isMaking && <MakeKeyDialog projectId={projectId} onClose={() => setMaking(false)} />}
    </ProjectPage>
  );
}

function ProjectKeys({ projectId }: { projectId: string }) {
  const { data, error, isPending, refetch } = useQuery(keysQuery(projectId));
  const [withEnded, setWithEnded] = useState(false);
  const keys = data?.items.filter((key) => withEnded || key.revoked_at === null) ?? [];
  const ended = data?.items.filter((key) => key.revoked_at !== null).length ?? 0;
  return (
    <>
      <ErrorPanel error={error} onRetry={refetch} />
      {isPending && <Waiting />}
      {data && keys.length === 0 && (
        <Card>
          <EmptyState
            icon="key"
            title="No keys"
            lead="No program can reach this project. Register an agent, and it gets a key on the way."
          />
        </Card>
      )}
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
