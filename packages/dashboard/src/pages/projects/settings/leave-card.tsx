import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { api } from '../../../api/client.ts';
import { queryClient, renew } from '../../../api/query-client.ts';
import { sessionQuery, useSignedIn } from '../../../api/session.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDialog } from '../../../ui/form-dialog.tsx';
import { membersQuery, useProject } from '../project-frame/queries.ts';
import { leave as words } from './settings.words.ts';

export function LeaveCard() {
  const { projectId, consolePath } = useProject();
  const { user } = useSignedIn();
  const { data: members } = useQuery(membersQuery(projectId));
  const [isAsking, setAsking] = useState(false);
  const navigate = useNavigate();
  const leave = async () => {
    await api.post(consolePath('/leave'));
    navigate('/projects', { replace: true });
    await renew(sessionQuery.queryKey);
    await queryClient.invalidateQueries({ queryKey: ['projects'], exact: true });
  };
  const owners = members?.items.filter(({ role }) => role === 'owner') ?? [];
  const isLastOwner = owners.length === 1 && owners[0]?.id === user.id;
  return (
    <Card title={words.title}>
      <div className="stack">
        <p>{isLastOwner ? words.lastOwner : words.consequence}</p>
        {!isLastOwner && (
          <div className="button-row">
            <Button tone="deny" onClick={() => setAsking(true)}>
              {words.submit}
            </Button>
          </div>
        )}
      </div>
      {isAsking && (
        <ConfirmDialog
          title={words.confirmTitle}
          confirmLabel={words.submit}
          change={leave}
          done={words.done}
          onClose={() => setAsking(false)}
        >
          <p>{words.confirm}</p>
        </ConfirmDialog>
      )}
    </Card>
  );
}
