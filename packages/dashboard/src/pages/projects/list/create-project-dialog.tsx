import { useNavigate } from 'react-router';
import { api } from '../../../api/client.ts';
import { queryClient, renew } from '../../../api/query-client.ts';
import { type Mode, sessionQuery } from '../../../api/session.ts';
import { useForm } from '../../../api/use-form.ts';
import { toast } from '../../../ui/announce.tsx';
import { Choice } from '../../../ui/checkbox.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import type { OwnProject } from '../project-frame/wire.ts';
import * as words from './list.words.ts';

const MODES = (['test', 'live'] as const).map((value) => ({ value, ...words.modeChoices[value] }));

/** Creates a project with the person as its owner, then opens its agents page, because it needs an agent first. */
export function CreateProjectDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const form = useForm({ name: '', mode: 'test' as Mode }, async (draft) => {
    const project = await api.post<OwnProject>('/console/projects', draft);
    // The session lists the person's projects, and the pages of the new one need it there.
    await queryClient.refetchQueries(sessionQuery);
    await renew(['projects']);
    toast(words.created(project.name));
    navigate(`/projects/${project.id}/agents`);
  });
  return (
    <FormDialog title={words.create} submitLabel={words.create} form={form} onClose={onClose}>
      <TextField label={words.name} hint={words.nameHint} maxLength={100} {...form.field('name')} />
      <Choice
        legend={words.mode}
        name="mode"
        options={MODES}
        value={form.draft.mode}
        onChange={(mode) => form.set({ mode })}
      />
    </FormDialog>
  );
}
