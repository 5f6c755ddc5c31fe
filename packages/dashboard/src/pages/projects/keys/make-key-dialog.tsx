import { useQuery } from '@tanstack/react-query';
import { api, newIdempotencyKey } from '../../../api/client.ts';
import { renew } from '../../../api/query-client.ts';
import { useForm } from '../../../api/use-form.ts';
import { fieldProblem } from '../../../api/use-submit.ts';
import { toast } from '../../../ui/announce.tsx';
import { Choice } from '../../../ui/checkbox.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { Select } from '../../../ui/select.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { agentsQuery, useProject } from '../project-frame/queries.ts';
import type { MadeKey } from '../project-frame/wire.ts';
import { KeyLimitFields, NO_LIMITS, toKeyLimits } from './key-fields.tsx';
import { KEY_KINDS, type KeyKind } from './key-kinds.ts';
import { NewKey } from './new-key.tsx';

/** Creates a key and shows it. With `agentId`, only an agent key for that agent. */
export function MakeKeyDialog({ agentId, onClose }: { agentId?: string; onClose: () => void }) {
  const { projectId, path } = useProject();
  const { data: agents } = useQuery(agentsQuery(projectId));
  const active = agents?.items.filter(({ status }) => status === 'active') ?? [];
  const first = { kind: 'agent' as KeyKind, name: '', agent_id: agentId ?? '', ...NO_LIMITS };
  const form = useForm(first, async ({ kind, name, agent_id, ...limits }) => {
    if (kind === 'agent' && agent_id === '') {
      throw fieldProblem('agent_id', 'Choose the agent that this key is.');
    }
    const body = { kind, name, ...(kind === 'agent' && { agent_id }), ...toKeyLimits(limits) };
    const made = await api.post<MadeKey>(path('/keys'), body, { idempotencyKey: newIdempotencyKey() });
    await renew(['projects', projectId, 'keys']);
    return made;
  });
  const { kind } = form.draft;

  if (form.answer) {
    // Escape or a click outside must not lose a key that cannot be shown again.
    const stay = () => toast('Confirm you’ve saved the key.', 'info');
    return (
      <Dialog open title="Your new key" width="wide" onClose={stay}>
        <NewKey made={form.answer} doneLabel="Done" onDone={onClose} />
      </Dialog>
    );
  }
  return (
    <FormDialog
      title={agentId ? 'New key for this agent' : 'New key'}
      submitLabel="Make the key"
      form={form}
      onClose={onClose}
    >
      {!agentId && (
        <Choice
          legend="Kind"
          name="kind"
          options={KEY_KINDS}
          value={kind}
          onChange={(chosen) => form.set({ kind: chosen })}
        />
      )}
      {kind === 'agent' && !agentId && (
        <Select
          label="Agent"
          hint={active.length === 0 ? 'There is no active agent yet: register one first.' : undefined}
          options={[
            { value: '', label: 'Choose an agent' },
            ...active.map(({ id, name: label }) => ({ value: id, label })),
          ]}
          {...form.field('agent_id')}
        />
      )}
      <TextField
        label="Name"
        hint="To know it by later: where it is used, for instance “CI runner”."
        maxLength={100}
        {...form.field('name')}
      />
      <KeyLimitFields form={form} />
    </FormDialog>
  );
}
