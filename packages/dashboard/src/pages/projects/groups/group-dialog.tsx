import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldError } from '../../../api/api-error.ts';
import { api } from '../../../api/client.ts';
import { toast } from '../../../ui/announce.tsx';
import { FormDialog } from '../../../ui/dialog.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { Waiting } from '../../../ui/waiting.tsx';
import { membersQuery, projectPath } from '../project-frame/queries.ts';
import type { Group } from '../project-frame/wire.ts';
import { MemberPicker } from './member-picker.tsx';

/** Makes a group, or gives one another set of members. */
export function GroupDialog({
  projectId,
  group,
  onClose,
}: {
  projectId: string;
  /** Null: a new one. */
  group: Group | null;
  onClose: () => void;
}) {
  const { data: members, error } = useQuery(membersQuery(projectId));
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(group?.members));
  const queryClient = useQueryClient();
  const save = useMutation({
    mutationFn: () =>
      group
        ? api.put(projectPath(projectId, `/groups/${encodeURIComponent(group.name)}`), {
            members: [...chosen],
          })
        : api.post(projectPath(projectId, '/groups'), { name, members: [...chosen] }),
    onSuccess: async () => {
      toast(group ? `Changed the group ${group.name}.` : `Made the group ${name}.`);
      onClose();
      await queryClient.invalidateQueries({ queryKey: ['projects', projectId] });
    },
  });
  const problem = fieldError(save.error, 'name');
  return (
    <FormDialog
      title={group ? `Members of ${group.name}` : 'New group'}
      onClose={onClose}
      onSubmit={() => save.mutate()}
      submitLabel={group ? 'Save' : 'Make the group'}
      busy={save.isPending}
    >
      <div className="stack">
        {!problem && <ErrorPanel error={save.error} />}
        <ErrorPanel error={error} />
        {!group && (
          <TextField
            label="Name"
            hint="As policies will write it, for instance finance. It cannot be changed later."
            value={name}
            maxLength={64}
            error={problem}
            onChange={(event) => setName(event.target.value)}
          />
        )}
        {members ? (
          <MemberPicker members={members.items} chosen={chosen} onChange={setChosen} />
        ) : (
          <Waiting />
        )}
      </div>
    </FormDialog>
  );
}
