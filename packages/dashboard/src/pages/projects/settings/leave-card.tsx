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
    <Card title="Leave this project">
      <div className="stack">
        <p>
          {isLastOwner
            ? 'You are its last owner. Make somebody else an owner first; a project without one could never get one again.'
            : 'You see nothing of it any more, and are in none of its groups. Secret keys that you answer for end at once.'}
        </p>
        {!isLastOwner && (
          <div className="button-row">
            <Button tone="deny" onClick={() => setAsking(true)}>
              Leave
            </Button>
          </div>
        )}
      </div>
      {isAsking && (
        <ConfirmDialog
          title="Leave this project?"
          confirmLabel="Leave the project"
          change={leave}
          done="You have left the project."
          onClose={() => setAsking(false)}
        >
          <p>
            To come back, somebody has to invite you again. What you decided stays in the record, and programs
            that use your secret keys stop working now.
          </p>
        </ConfirmDialog>
      )}
    </Card>
  );
}
