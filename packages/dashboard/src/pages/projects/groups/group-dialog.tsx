import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { renew } from '../../../api/query-client.ts';
import { useForm } from '../../../api/use-form.ts';
import { toast } from '../../../ui/announce.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { Waiting } from '../../../ui/waiting.tsx';
import { membersQuery, useProject } from '../project-frame/queries.ts';
import type { Group } from '../project-frame/wire.ts';
import * as words from './groups.words.ts';
import { MemberPicker } from './member-picker.tsx';

/** Creates a group (null), or changes the members of an existing one. */
export function GroupDialog({ group, onClose }: { group: Group | null; onClose: () => void }) {
  const { projectId, path } = useProject();
  const { data: members, error } = useQuery(membersQuery(projectId));
  const first = { name: '', chosen: new Set(group?.members) as ReadonlySet<string> };
  const form = useForm(first, async ({ name, chosen }) => {
    if (group) await api.put(path(`/groups/${encodeURIComponent(group.name)}`), { members: [...chosen] });
    else await api.post(path('/groups'), { name, members: [...chosen] });
    toast(group ? words.changed(group.name) : words.created(name));
    onClose();
    await renew(['projects', projectId]);
  });
  return (
    <FormDialog
      title={group ? words.membersOf(group.name) : words.create}
      submitLabel={group ? words.save : words.create}
      form={form}
      onClose={onClose}
    >
      <ErrorPanel error={error} />
      {!group && (
        <TextField label={words.name} hint={words.nameHint} maxLength={64} {...form.field('name')} />
      )}
      {members ? (
        <MemberPicker
          members={members.items}
          chosen={form.draft.chosen}
          onChange={(chosen) => form.set({ chosen })}
        />
      ) : (
        <Waiting />
      )}
    </FormDialog>
  );
}
