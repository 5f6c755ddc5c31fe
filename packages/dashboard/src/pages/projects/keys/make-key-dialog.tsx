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
import * as words from './keys.words.ts';
import { NewKey } from './new-key.tsx';

const KINDS = (['agent', 'secret', 'verify'] as const).map((value) => ({ value, ...words.kinds[value] }));

/** Creates a key and shows it. With `agentId`, only an agent key for that agent. */
export function MakeKeyDialog({ agentId, onClose }: { agentId?: string; onClose: () => void }) {
  const { projectId, path } = useProject();
  const { data: agents } = useQuery(agentsQuery(projectId));
  const active = agents?.items.filter(({ status }) => status === 'active') ?? [];
  const first = { kind: 'agent' as words.KeyKind, name: '', agent_id: agentId ?? '', ...NO_LIMITS };
  const form = useForm(first, async ({ kind, name, agent_id, ...limits }) => {
    if (kind === 'agent' && agent_id === '') {
      throw fieldProblem('agent_id', words.agentMissing);
    }
    const body = { kind, name, ...(kind === 'agent' && { agent_id }), ...toKeyLimits(limits) };
    const made = await api.post<MadeKey>(path('/keys'), body, { idempotencyKey: newIdempotencyKey() });
    await renew(['projects', projectId, 'keys']);
    return made;
  });
  const { kind } = form.draft;

  if (form.answer) {
    // Escape or a click outside must not lose a key that cannot be shown again.
    const stay = () => toast(words.newKey.confirm, 'info');
    return (
      <Dialog open title={words.newKey.title} width="wide" onClose={stay}>
        <NewKey made={form.answer} doneLabel={words.newKey.done} onDone={onClose} />
      </Dialog>
    );
  }
  return (
    <FormDialog
      title={agentId ? words.createForAgent : words.create}
      submitLabel={words.create}
      form={form}
      onClose={onClose}
    >
      {!agentId && (
        <Choice
          legend={words.properties.kind}
          name="kind"
          options={KINDS}
          value={kind}
          onChange={(chosen) => form.set({ kind: chosen })}
        />
      )}
      {kind === 'agent' && !agentId && (
        <Select
          label={words.properties.agent}
          hint={active.length === 0 ? words.noAgents : undefined}
          options={[
            { value: '', label: words.chooseAgent },
            ...active.map(({ id, name: label }) => ({ value: id, label })),
          ]}
          {...form.field('agent_id')}
        />
      )}
      <TextField
        label={words.properties.name}
        hint={words.nameHint}
        maxLength={100}
        {...form.field('name')}
      />
      <KeyLimitFields form={form} />
    </FormDialog>
  );
}
