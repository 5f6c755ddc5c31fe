import { api } from '../../../api/client.ts';
import { queryClient } from '../../../api/query-client.ts';
import { useForm } from '../../../api/use-form.ts';
import { fieldProblem } from '../../../api/use-submit.ts';
import { toast } from '../../../ui/announce.tsx';
import { Button } from '../../../ui/button.tsx';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { LEAST_RISK } from '../../../ui/risk-choices.ts';
import { Select } from '../../../ui/select.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { useProjectId } from '../project-frame/queries.ts';
import { chatHookPath, chatHookQuery, type Hook, type HookAnswer } from './queries.ts';

type Kind = Hook['kinds'][number];

const KINDS: readonly { kind: Kind; label: string }[] = [
  { kind: 'waiting', label: 'A request waits for a decision' },
  { kind: 'reminder', label: 'It still waits and soon expires' },
  { kind: 'decided', label: 'A request was decided, or expired' },
  { kind: 'revoked', label: 'An approval was revoked' },
  { kind: 'proposed', label: 'A change of the policy waits for a second person' },
];

/** The URL is never shown again after it is saved: anyone who has it can write into the channel. */
export function ChatHookForm({ hook }: { hook: Hook | null }) {
  const projectId = useProjectId();
  const first = {
    url: '',
    kinds: (hook?.kinds ?? ['waiting', 'reminder', 'decided']) as readonly Kind[],
    minimum_risk_tier: hook?.minimum_risk_tier ?? 'low',
  };
  const form = useForm(first, async ({ url, ...draft }) => {
    const address = url.trim();
    if (!hook && address === '') throw fieldProblem('url', 'Give the address of the incoming webhook.');
    const body = { ...(address !== '' && { url: address }), ...draft };
    const saved = await api.put<HookAnswer>(chatHookPath(projectId), body);
    queryClient.setQueryData(chatHookQuery(projectId).queryKey, saved);
    toast(hook ? 'The chat’s settings are saved.' : 'The chat is connected.', 'good');
  });
  const { kinds } = form.draft;
  return (
    <form className="stack" onSubmit={form.submit} noValidate>
      <ErrorPanel error={form.problem} />
      <TextField
        label={hook ? 'New address' : 'Address of the incoming webhook'}
        hint={
          hook
            ? 'Leave it empty to keep the address there is.'
            : 'It is kept as a secret and not shown again.'
        }
        optional={hook !== null}
        type="url"
        inputMode="url"
        autoComplete="off"
        placeholder="https://hooks.slack.com/services/…"
        {...form.field('url')}
      />
      <fieldset className="stack tight">
        <legend className="field-label">What it hears of</legend>
        {KINDS.map(({ kind, label }) => (
          <Checkbox
            key={kind}
            label={label}
            checked={kinds.includes(kind)}
            onChange={({ target }) =>
              form.set({ kinds: target.checked ? [...kinds, kind] : kinds.filter((other) => other !== kind) })
            }
          />
        ))}
      </fieldset>
      <Select label="Of which requests" options={LEAST_RISK} {...form.field('minimum_risk_tier')} />
      <div className="button-row">
        <Button type="submit" tone="primary" busy={form.busy}>
          {hook ? 'Save' : 'Connect'}
        </Button>
      </div>
    </form>
  );
}
