import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { fieldError } from '../../../api/api-error.ts';
import { api, newIdempotencyKey } from '../../../api/client.ts';
import { exceptFields } from '../../../api/use-submit.ts';
import { toast } from '../../../ui/announce.tsx';
import { FormDialog } from '../../../ui/dialog.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { RISK_TIERS } from '../../../ui/risk-choices.ts';
import { Select } from '../../../ui/select.tsx';
import { PasswordField, TextField } from '../../../ui/text-field.tsx';
import { toolsKey, type Upstream, upstreamPath } from './queries.ts';

interface Draft {
  name: string;
  url: string;
  headerName: string;
  headerValue: string;
  riskTier: Upstream['risk_tier'];
}

const FORM_FIELDS = ['name', 'url', 'headers', 'risk_tier'];

/** Registers a server and asks it for its tools. */
export function AddServerDialog({ projectId, onClose }: { projectId: string; onClose: () => void }) {
  const [draft, setDraft] = useState<Draft>({
    name: '',
    url: '',
    headerName: 'Authorization',
    headerValue: '',
    riskTier: 'medium',
  });
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const add = useMutation({
    mutationFn: async (idempotencyKey: string) => {
      const { name, url, riskTier } = draft;
      const body = { name: name.trim(), url: url.trim(), risk_tier: riskTier, ...headersOf(draft) };
      const made = await api.post<Upstream>(upstreamPath(projectId), body, { idempotencyKey });
      // That it cannot be reached stands on its page.
      await api.post(upstreamPath(projectId, made.id, '/refresh'), undefined, { timeoutMs: POLL_MS });
      return made;
    },
    onSuccess: (made) => navigate(`/projects/${projectId}/tools/${made.id}`),
    onSettled: () => queryClient.invalidateQueries({ queryKey: toolsKey(projectId) }),
  });
  return (
    <FormDialog
      title="Add a server"
      submitLabel="Add it and look at its tools"
      busy={add.isPending}
      onClose={onClose}
      onSubmit={() => add.mutate(newIdempotencyKey())}
    >
      <div className="stack">
        <ErrorPanel error={exceptFields(add.error, ...FORM_FIELDS, `headers.${draft.headerName}`)} />
        <TextField
          label="Name"
          hint="Its tools are called by it: github.create_issue."
          autoComplete="off"
          spellCheck={false}
          maxLength={32}
          value={draft.name}
          error={fieldError(add.error, 'name')}
          onChange={(event) => setDraft({ ...draft, name: event.target.value })}
        />
        <ServerFields
          draft={draft}
          error={add.error}
          onChange={(change) => setDraft({ ...draft, ...change })}
        />
      </div>
    </FormDialog>
  );
}

/** Changes where it is and what is sent to it. What is left empty stays. */
export function ChangeServerDialog({
  projectId,
  upstream,
  onClose,
}: {
  projectId: string;
  upstream: Upstream;
  onClose: () => void;
}) {
  const [draft, setDraft] = useState<Draft>({
    name: upstream.name,
    url: '',
    headerName: upstream.secret_names[0] ?? 'Authorization',
    headerValue: '',
    riskTier: upstream.risk_tier,
  });
  const queryClient = useQueryClient();
  const change = useMutation({
    mutationFn: () =>
      api.patch(upstreamPath(projectId, upstream.id), {
        ...(draft.url.trim() === '' ? {} : { url: draft.url.trim() }),
        ...headersOf(draft),
        risk_tier: draft.riskTier,
      }),
    onSuccess: async () => {
      toast('Changed the server.');
      onClose();
      await queryClient.invalidateQueries({ queryKey: toolsKey(projectId) });
    },
  });
  const isHttp = upstream.kind === 'http';
  return (
    <FormDialog
      title="Change the server"
      submitLabel="Change it"
      busy={change.isPending}
      onClose={onClose}
      onSubmit={() => change.mutate()}
    >
      <div className="stack">
        <ErrorPanel error={exceptFields(change.error, ...FORM_FIELDS, `headers.${draft.headerName}`)} />
        {isHttp ? (
          <ServerFields
            draft={draft}
            error={change.error}
            kept
            onChange={(changed) => setDraft({ ...draft, ...changed })}
          />
        ) : (
          <RiskField draft={draft} onChange={(changed) => setDraft({ ...draft, ...changed })} />
        )}
      </div>
    </FormDialog>
  );
}

/** As long as a server may take to be connected and to list its tools. */
export const POLL_MS = 90_000;

function headersOf({ headerName, headerValue }: Draft) {
  return headerValue === '' ? {} : { headers: { [headerName.trim()]: headerValue } };
}

function ServerFields({
  draft,
  error,
  kept = false,
  onChange,
}: {
  draft: Draft;
  error: unknown;
  /** What is left empty stays as it is. */
  kept?: boolean;
  onChange: (change: Partial<Draft>) => void;
}) {
  return (
    <>
      <TextField
        label="Address"
        hint={
          kept
            ? 'Left empty it stays. Behind another one its tools are approved again, and what was sent to the old one is not sent there.'
            : 'With https://. Where it speaks MCP over Streamable HTTP. It is not shown again.'
        }
        type="url"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        placeholder="https://tools.example.com/mcp"
        optional={kept}
        value={draft.url}
        error={fieldError(error, 'url')}
        onChange={(event) => onChange({ url: event.target.value })}
      />
      <TextField
        label="Header"
        hint="Sent with every request to it, and to nobody else."
        autoComplete="off"
        spellCheck={false}
        optional
        value={draft.headerName}
        error={fieldError(error, 'headers')}
        onChange={(event) => onChange({ headerName: event.target.value })}
      />
      <PasswordField
        label="Its value"
        hint="For instance Bearer and a token. It is not shown again."
        autoComplete="off"
        optional
        value={draft.headerValue}
        error={fieldError(error, `headers.${draft.headerName}`)}
        onChange={(event) => onChange({ headerValue: event.target.value })}
      />
      <RiskField draft={draft} onChange={onChange} />
    </>
  );
}

function RiskField({ draft, onChange }: { draft: Draft; onChange: (change: Partial<Draft>) => void }) {
  return (
    <Select
      label="Risk of its tools"
      hint="Where nobody says otherwise of a tool. One that says of itself that it destroys is high at least."
      value={draft.riskTier}
      options={RISK_TIERS.map((value) => ({ value, label: value }))}
      onChange={(event) => onChange({ riskTier: event.target.value as Upstream['risk_tier'] })}
    />
  );
}
