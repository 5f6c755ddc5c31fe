import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { fieldError } from '../../../api/api-error.ts';
import { api } from '../../../api/client.ts';
import { type Mode, sessionQuery } from '../../../api/session.ts';
import { toast } from '../../../ui/announce.tsx';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { FormDialog } from '../../../ui/dialog.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import type { OwnProject } from '../project-frame/wire.ts';

const MODES: readonly { mode: Mode; label: string; hint: string }[] = [
  {
    mode: 'test',
    label: 'Test',
    hint: 'To try out. One secret key may ask and approve; permits say that they are for testing.',
  },
  {
    mode: 'live',
    label: 'Live',
    hint: 'For real actions. Nobody decides what they asked for, and keys, people and policy are changed by people only.',
  },
];

/** Makes a project, of which one is the owner, and goes to its agents: the first thing it needs. */
export function CreateProjectDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [name, setName] = useState('');
  const [mode, setMode] = useState<Mode>('test');
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: () => api.post<OwnProject>('/console/projects', { name, mode }),
    onSuccess: async (project) => {
      // The session names one's projects: the pages of the new one need it.
      await queryClient.refetchQueries(sessionQuery);
      await queryClient.invalidateQueries({ queryKey: ['projects'] });
      toast(`Made the project ${project.name}.`);
      navigate(`/projects/${project.id}/agents`);
    },
  });
  const close = () => {
    create.reset();
    setName('');
    onClose();
  };
  return (
    <FormDialog
      open={open}
      title="New project"
      onClose={close}
      onSubmit={() => create.mutate()}
      submitLabel="Make the project"
      busy={create.isPending}
    >
      <div className="stack">
        {!fieldError(create.error, 'name') && <ErrorPanel error={create.error} />}
        <TextField
          label="Name"
          hint="What people see when they decide, for instance “Refunds”. It can be changed."
          value={name}
          maxLength={100}
          error={fieldError(create.error, 'name')}
          onChange={(event) => setName(event.target.value)}
        />
        <fieldset className="stack tight">
          <legend className="field-label">Mode, for good</legend>
          {MODES.map((option) => (
            <Checkbox
              key={option.mode}
              kind="radio"
              name="mode"
              label={option.label}
              hint={option.hint}
              checked={mode === option.mode}
              onChange={() => setMode(option.mode)}
            />
          ))}
        </fieldset>
      </div>
    </FormDialog>
  );
}
