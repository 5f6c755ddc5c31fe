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
import * as words from './notifications.words.ts';
import { chatHookPath, chatHookQuery, type Hook, type HookAnswer } from './queries.ts';

type Kind = Hook['kinds'][number];

const KINDS: readonly Kind[] = ['waiting', 'reminder', 'decided', 'revoked', 'proposed'];

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
    if (!hook && address === '') throw fieldProblem('url', words.addressMissing);
    const body = { ...(address !== '' && { url: address }), ...draft };
    const saved = await api.put<HookAnswer>(chatHookPath(projectId), body);
    queryClient.setQueryData(chatHookQuery(projectId).queryKey, saved);
    toast(hook ? words.saved : words.connected, 'good');
  });
  const { kinds } = form.draft;
  return (
    <form className="stack" onSubmit={form.submit} noValidate>
      <ErrorPanel error={form.problem} />
      <TextField
        label={hook ? words.newAddress : words.address}
        hint={hook ? words.newAddressHint : words.addressHint}
        optional={hook !== null}
        type="url"
        inputMode="url"
        autoComplete="off"
        placeholder="https://hooks.slack.com/services/…"
        {...form.field('url')}
      />
      <fieldset className="stack tight">
        <legend className="field-label">{words.notifyAbout}</legend>
        {KINDS.map((kind) => (
          <Checkbox
            key={kind}
            label={words.kinds[kind]}
            checked={kinds.includes(kind)}
            onChange={({ target }) =>
              form.set({ kinds: target.checked ? [...kinds, kind] : kinds.filter((other) => other !== kind) })
            }
          />
        ))}
      </fieldset>
      <Select label={words.risk} options={LEAST_RISK} {...form.field('minimum_risk_tier')} />
      <div className="button-row">
        <Button type="submit" tone="primary" busy={form.busy}>
          {hook ? words.save : words.connect}
        </Button>
      </div>
    </form>
  );
}
