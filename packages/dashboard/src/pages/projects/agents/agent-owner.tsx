import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { renew } from '../../../api/query-client.ts';
import { useSignedIn } from '../../../api/session.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/form-dialog.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { DateTime } from '../../../ui/time.tsx';
import { membersQuery, useProject, useProjectId } from '../project-frame/queries.ts';
import type { Agent, UpdatedAgent } from '../project-frame/wire.ts';
import * as words from './agents.words.ts';
import { toastUpdate } from './toast-update.ts';

/**
 * The person who is responsible for an agent, and the button to take the agent over. If that person left, says when the
 * agent's keys expire.
 */
export function AgentOwner({ agent, mayManage }: { agent: Agent; mayManage: boolean }) {
  const { user } = useSignedIn();
  const { data } = useQuery(membersQuery(useProjectId()));
  const [isTaking, setTaking] = useState(false);
  const owner = data?.items.find(({ id }) => id === agent.owner_id);
  const isOwner = agent.owner_id === user.id && agent.keys_end_at === null;
  return (
    <div className="stack tight">
      <div className="button-row">
        {agent.owner_id === null ? (
          words.ownersOfProject
        ) : owner ? (
          <InertText text={owner.email} />
        ) : (
          <code>{agent.owner_id}</code>
        )}
        {mayManage && !isOwner && (
          <Button size="s" onClick={() => setTaking(true)}>
            {words.takeOver}
          </Button>
        )}
      </div>
      {agent.keys_end_at !== null && (
        <Notice tone="warn" title={words.ownerLeft}>
          {words.keysExpire(<DateTime at={agent.keys_end_at} />)}
        </Notice>
      )}
      {isTaking && <TakeOver agent={agent} onDone={() => setTaking(false)} />}
    </div>
  );
}

function TakeOver({ agent, onDone }: { agent: Agent; onDone: () => void }) {
  const { projectId, path } = useProject();
  const { user } = useSignedIn();
  return (
    <ConfirmDialog
      title={words.takeOverTitle}
      confirmLabel={words.takeOver}
      change={async () => {
        const updated = await api.patch<UpdatedAgent>(path(`/agents/${agent.id}`), { owner_id: user.id });
        await renew(['projects', projectId]);
        toastUpdate(updated);
      }}
      onClose={onDone}
    >
      <p>{words.takeOverConsequence(<InertText text={agent.name} />)}</p>
    </ConfirmDialog>
  );
}
