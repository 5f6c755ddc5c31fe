import { api } from '../../../api/client.ts';
import { renew } from '../../../api/query-client.ts';
import type { Role } from '../../../api/session.ts';
import { useForm } from '../../../api/use-form.ts';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { useProject } from '../project-frame/queries.ts';
import type { SentInvitation } from '../project-frame/wire.ts';
import * as words from './members.words.ts';
import { RoleChoice } from './role-choice.tsx';
import { Sent } from './sent-invitation.tsx';

/** Asks for email address and role. If the gate sends no email, shows the link afterwards. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const { projectId, consolePath } = useProject();
  const form = useForm({ email: '', role: 'approver' as Role }, async (draft) => {
    const sent = await api.post<SentInvitation>(consolePath('/invitations'), draft);
    await renew(['projects', projectId, 'invitations']);
    return sent;
  });
  if (form.answer) return <Sent invitation={form.answer} onClose={onClose} />;
  return (
    <FormDialog title={words.invite} submitLabel={words.invite} form={form} onClose={onClose}>
      <TextField
        label={words.email}
        hint={words.emailHint}
        type="email"
        autoCapitalize="none"
        maxLength={254}
        {...form.field('email')}
      />
      <RoleChoice value={form.draft.role} onChange={(role) => form.set({ role })} />
    </FormDialog>
  );
}
