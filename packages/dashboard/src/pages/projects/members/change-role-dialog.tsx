import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { reaches, sessionQuery, useRole, useSignedIn } from '../../../api/session.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { toast } from '../../../ui/announce.tsx';
import { FormDialog } from '../../../ui/dialog.tsx';
import { ErrorPanel, Notice } from '../../../ui/notice.tsx';
import { projectPath } from '../project-frame/queries.ts';
import type { Member } from '../project-frame/wire.ts';
import { RoleChoice } from './role-choice.tsx';

export function ChangeRoleDialog({
  projectId,
  member,
  onClose,
}: {
  projectId: string;
  member: Member;
  onClose: () => void;
}) {
  const { role: ownRole } = useRole(projectId);
  const { user } = useSignedIn();
  const [role, setRole] = useState(member.role);
  const queryClient = useQueryClient();
  const change = useMutation({
    mutationFn: () => api.patch(projectPath(projectId, `/members/${member.id}`), { role }),
    onSuccess: async () => {
      toast(`${member.email} is ${role} now.`);
      onClose();
      await queryClient.invalidateQueries({ queryKey: ['projects', projectId] });
      if (member.id === user.id) await queryClient.invalidateQueries(sessionQuery);
    },
  });
  const isLess = !reaches(role, member.role);
  return (
    <FormDialog
      title="Change the role"
      onClose={onClose}
      onSubmit={() => change.mutate()}
      submitLabel="Change the role"
      busy={change.isPending}
      disabled={role === member.role}
    >
      <div className="stack">
        <ErrorPanel error={change.error} />
        <p>
          <InertText text={member.email} /> is {member.role}.
        </p>
        <RoleChoice own={ownRole} value={role} onChange={setRole} />
        {isLess && (
          <Notice tone="warn">
            Their secret keys and tokens can do less from the next request on
            {member.id === user.id && ', and you cannot take this back yourself'}.
          </Notice>
        )}
      </div>
    </FormDialog>
  );
}
