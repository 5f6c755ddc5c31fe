import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldError } from '../../../api/api-error.ts';
import { api } from '../../../api/client.ts';
import { type Role, useRole } from '../../../api/session.ts';
import { FormDialog } from '../../../ui/dialog.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import type { SentInvitation } from '../project-frame/wire.ts';
import { RoleChoice } from './role-choice.tsx';
import { Sent } from './sent-invitation.tsx';

/** Asks for address and role; afterwards the link, where the gate sends no mail. */
export function InviteDialog({
  projectId,
  open,
  onClose,
}: {
  projectId: string;
  open: boolean;
  onClose: () => void;
}) {
  const { role: ownRole } = useRole(projectId);
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('approver');
  const queryClient = useQueryClient();
  const invite = useMutation({
    mutationFn: () =>
      api.post<SentInvitation>(`/console/projects/${encodeURIComponent(projectId)}/invitations`, {
        email,
        role,
      }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['projects', projectId, 'invitations'] }),
  });
  const close = () => {
    invite.reset();
    setEmail('');
    setRole('approver');
    onClose();
  };
  if (open && invite.data) return <Sent invitation={invite.data} onClose={close} />;
  const problem = fieldError(invite.error, 'email');
  return (
    <FormDialog
      open={open}
      title="Invite somebody"
      onClose={close}
      onSubmit={() => invite.mutate()}
      submitLabel="Invite"
      busy={invite.isPending}
    >
      <div className="stack">
        {!problem && <ErrorPanel error={invite.error} />}
        <TextField
          label="E-mail address"
          hint="Their decisions are recorded under it."
          type="email"
          autoCapitalize="none"
          value={email}
          maxLength={254}
          error={problem}
          onChange={(event) => setEmail(event.target.value)}
        />
        <RoleChoice own={ownRole} value={role} onChange={setRole} />
      </div>
    </FormDialog>
  );
}
