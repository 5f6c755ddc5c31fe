import { api } from '../../../api/client.ts';
import { renew } from '../../../api/query-client.ts';
import { reaches, sessionQuery, useSignedIn } from '../../../api/session.ts';
import { useForm } from '../../../api/use-form.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { toast } from '../../../ui/announce.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { useProject } from '../project-frame/queries.ts';
import type { Member } from '../project-frame/wire.ts';
import * as words from './members.words.ts';
import { RoleChoice } from './role-choice.tsx';

export function ChangeRoleDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const { projectId, path } = useProject();
  const { user } = useSignedIn();
  const form = useForm({ role: member.role }, async ({ role }) => {
    await api.patch(path(`/members/${member.id}`), { role });
    toast(words.changedRole(member.email, role));
    onClose();
    await renew(['projects', projectId]);
    if (member.id === user.id) await renew(sessionQuery.queryKey);
  });
  const { role } = form.draft;
  return (
    <FormDialog
      title={words.changeRole}
      submitLabel={words.changeRole}
      form={form}
      disabled={role === member.role}
      onClose={onClose}
    >
      <p>{words.currentRole(<InertText text={member.email} />, member.role)}</p>
      <RoleChoice value={role} onChange={(chosen) => form.set({ role: chosen })} />
      {!reaches(role, member.role) && (
        <Notice tone="warn">{member.id === user.id ? words.lessForYou : words.lessForThem}</Notice>
      )}
    </FormDialog>
  );
}
