import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldError } from '../../../api/api-error.ts';
import { api, newIdempotencyKey } from '../../../api/client.ts';
import { toast } from '../../../ui/announce.tsx';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { Dialog, FormDialog } from '../../../ui/dialog.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { Select } from '../../../ui/select.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { agentsQuery, projectPath } from '../project-frame/queries.ts';
import type { MadeKey } from '../project-frame/wire.ts';
import { KeyLimitFields, NO_LIMITS, problemOf, toKeyLimits } from './key-fields.tsx';
import { KEY_KINDS, type KeyKind } from './key-kinds.ts';
import { NewKey } from './new-key.tsx';

/** Makes a key and shows it. */
export function MakeKeyDialog({
  projectId,
  agentId,
  onClose,
}: {
  projectId: string;
  /** Of this agent, and no other kind. */
  agentId?: string;
  onClose: () => void;
}) {
  const [kind, setKind] = useState<KeyKind>('agent');
  const [name, setName] = useState('');
  const [chosenAgent, setChosenAgent] = useState(agentId ?? '');
  const [limits, setLimits] = useState(NO_LIMITS);
  const [wasSent, setWasSent] = useState(false);
  const { data: agents } = useQuery(agentsQuery(projectId));
  const active = agents?.items.filter(({ status }) => status === 'active') ?? [];
  const queryClient = useQueryClient();
  const make = useMutation({
    mutationFn: (idempotencyKey: string) =>
      api.post<MadeKey>(
        projectPath(projectId, '/keys'),
        { kind, name, ...(kind === 'agent' && { agent_id: chosenAgent }), ...toKeyLimits(limits) },
        { idempotencyKey },
      ),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['projects', projectId, 'keys'] }),
  });

  if (make.data) {
    // Neither Escape nor a press beside it loses what cannot be shown again.
    const stay = () => toast('Confirm you’ve saved the key.', 'info');
    return (
      <Dialog open title="Your new key" width="wide" onClose={stay}>
        <NewKey made={make.data} doneLabel="Done" onDone={onClose} />
      </Dialog>
    );
  }
  const noAgent = kind === 'agent' && chosenAgent === '';
  const submit = () => {
    setWasSent(true);
    if (!noAgent && problemOf(limits) === undefined) make.mutate(newIdempotencyKey());
  };
  return (
    <FormDialog
      title={agentId ? 'New key for this agent' : 'New key'}
      onClose={onClose}
      onSubmit={submit}
      submitLabel="Make the key"
      busy={make.isPending}
    >
      <div className="stack">
        {(make.error as { fields?: readonly unknown[] } | null)?.fields?.length ? null : (
          <ErrorPanel error={make.error} />
        )}
        {!agentId && <KindChoice kind={kind} onChange={setKind} />}
        {kind === 'agent' && !agentId && (
          <Select
            label="Agent"
            hint={active.length === 0 ? 'There is no active agent yet: register one first.' : undefined}
            options={[
              { value: '', label: 'Choose an agent' },
              ...active.map(({ id, name: label }) => ({ value: id, label })),
            ]}
            value={chosenAgent}
            error={
              wasSent && noAgent ? 'Choose the agent that this key is.' : fieldError(make.error, 'agent_id')
            }
            onChange={(event) => setChosenAgent(event.target.value)}
          />
        )}
        <TextField
          label="Name"
          hint="To know it by later: where it is used, for instance “CI runner”."
          value={name}
          maxLength={100}
          error={fieldError(make.error, 'name')}
          onChange={(event) => setName(event.target.value)}
        />
        <KeyLimitFields
          limits={limits}
          onChange={setLimits}
          problem={wasSent ? problemOf(limits) : undefined}
          error={make.error}
        />
      </div>
    </FormDialog>
  );
}

function KindChoice({ kind, onChange }: { kind: KeyKind; onChange: (kind: KeyKind) => void }) {
  return (
    <fieldset className="stack tight">
      <legend className="field-label">Kind</legend>
      {KEY_KINDS.map((option) => (
        <Checkbox
          key={option.kind}
          kind="radio"
          name="kind"
          label={option.label}
          hint={option.is}
          checked={option.kind === kind}
          onChange={() => onChange(option.kind)}
        />
      ))}
    </fieldset>
  );
}
