import { useNavigate } from 'react-router';
import { fieldError } from '../../../api/api-error.ts';
import { api, newIdempotencyKey } from '../../../api/client.ts';
import { renew } from '../../../api/query-client.ts';
import { type Form, useForm } from '../../../api/use-form.ts';
import { exceptFields } from '../../../api/use-submit.ts';
import { toast } from '../../../ui/announce.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { RISK_CHOICES } from '../../../ui/risk-choices.ts';
import { Select } from '../../../ui/select.tsx';
import { PasswordField, TextField } from '../../../ui/text-field.tsx';
import { useProjectId } from '../project-frame/queries.ts';
import { toolsKey, type Upstream, upstreamPath } from './queries.ts';
import * as words from './tools.words.ts';

interface Draft {
  name: string;
  url: string;
  /** The name and value of a header. */
  headers: string;
  headerValue: string;
  risk_tier: Upstream['risk_tier'];
}

/** Registers a server and fetches its tools. */
export function AddServerDialog({ onClose }: { onClose: () => void }) {
  const projectId = useProjectId();
  const navigate = useNavigate();
  const first: Draft = { name: '', url: '', headers: 'Authorization', headerValue: '', risk_tier: 'medium' };
  const form = useForm(first, async (draft) => {
    const { name, url, risk_tier } = draft;
    const body = { name: name.trim(), url: url.trim(), risk_tier, ...headersOf(draft) };
    const once = { idempotencyKey: newIdempotencyKey() };
    try {
      const made = await api.post<Upstream>(upstreamPath(projectId), body, once);
      // If the server is unreachable, its page says so.
      await api.post(upstreamPath(projectId, made.id, '/refresh'), undefined, { timeoutMs: POLL_MS });
      await navigate(`/projects/${projectId}/tools/${made.id}`);
    } finally {
      await renew(toolsKey(projectId));
    }
  });
  return (
    <FormDialog
      title={words.addServer.open}
      submitLabel={words.addServer.submit}
      form={withHeader(form)}
      onClose={onClose}
    >
      <TextField
        label={words.addServer.name}
        hint={words.addServer.nameHint}
        autoComplete="off"
        maxLength={32}
        {...form.field('name')}
      />
      <ServerFields form={form} />
    </FormDialog>
  );
}

/** Changes the server's URL and its headers. Empty fields keep their values. */
export function EditServerDialog({ upstream, onClose }: { upstream: Upstream; onClose: () => void }) {
  const projectId = useProjectId();
  const { name, secret_names: secretNames, risk_tier } = upstream;
  const first: Draft = {
    name,
    url: '',
    headers: secretNames[0] ?? 'Authorization',
    headerValue: '',
    risk_tier,
  };
  const form = useForm(first, async (draft) => {
    const url = draft.url.trim();
    const body = { ...(url !== '' && { url }), ...headersOf(draft), risk_tier: draft.risk_tier };
    await api.patch(upstreamPath(projectId, upstream.id), body);
    toast(words.editServer.done);
    onClose();
    await renew(toolsKey(projectId));
  });
  return (
    <FormDialog
      title={words.editServer.title}
      submitLabel={words.editServer.submit}
      form={withHeader(form)}
      onClose={onClose}
    >
      {upstream.kind === 'http' ? <ServerFields form={form} kept /> : <RiskField form={form} />}
    </FormDialog>
  );
}

/** How long connecting to a server and listing its tools may take. */
export const POLL_MS = 90_000;

function headersOf({ headers: name, headerValue }: Draft) {
  return headerValue === '' ? {} : { headers: { [name.trim()]: headerValue } };
}

/** Shows problems with the header's value under that field. */
function withHeader(form: Form<Draft>): Form<Draft> {
  const names = [...Object.keys(form.draft), `headers.${form.draft.headers}`];
  return { ...form, problem: exceptFields(form.error, ...names) };
}

/** With `kept`, empty fields keep their values. */
function ServerFields({ form, kept = false }: { form: Form<Draft>; kept?: boolean }) {
  return (
    <>
      <TextField
        label={words.serverFields.address}
        hint={kept ? words.serverFields.addressKept : words.serverFields.addressHint}
        type="url"
        inputMode="url"
        autoComplete="off"
        placeholder="https://tools.example.com/mcp"
        optional={kept}
        {...form.field('url')}
      />
      <TextField
        label={words.serverFields.header}
        hint={words.serverFields.headerHint}
        autoComplete="off"
        optional
        {...form.field('headers')}
      />
      <PasswordField
        label={words.serverFields.headerValue}
        hint={words.serverFields.headerValueHint}
        autoComplete="off"
        optional
        {...form.field('headerValue')}
        error={fieldError(form.error, `headers.${form.draft.headers}`)}
      />
      <RiskField form={form} />
    </>
  );
}

function RiskField({ form }: { form: Form<Draft> }) {
  return (
    <Select
      label={words.properties.defaultRisk}
      hint={words.serverFields.defaultRiskHint}
      options={RISK_CHOICES}
      {...form.field('risk_tier')}
    />
  );
}
