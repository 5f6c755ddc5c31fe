import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldError } from '../../../api/api-error.ts';
import { api } from '../../../api/client.ts';
import { exceptFields, fieldProblem, useSubmit } from '../../../api/use-submit.ts';
import { toast } from '../../../ui/announce.tsx';
import { Button } from '../../../ui/button.tsx';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { LEAST_RISK } from '../../../ui/risk-choices.ts';
import { Select } from '../../../ui/select.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { chatHookPath, chatHookQuery, type Hook, type HookAnswer } from './queries.ts';

type Kind = Hook['kinds'][number];

const KINDS: readonly { kind: Kind; label: string }[] = [
  { kind: 'waiting', label: 'A request waits for a decision' },
  { kind: 'reminder', label: 'It still waits and soon expires' },
  { kind: 'decided', label: 'A request was decided, or expired' },
  { kind: 'revoked', label: 'An approval was revoked' },
  { kind: 'proposed', label: 'A change of the policy waits for a second person' },
];

/** The address goes in and is never shown again: with it anybody could write into the channel. */
export function ChatHookForm({ projectId, hook }: { projectId: string; hook: Hook | null }) {
  const [url, setUrl] = useState('');
  const [kinds, setKinds] = useState<readonly Kind[]>(hook?.kinds ?? ['waiting', 'reminder', 'decided']);
  const [tier, setTier] = useState<Hook['minimum_risk_tier']>(hook?.minimum_risk_tier ?? 'low');
  const client = useQueryClient();
  const { submit, busy, error } = useSubmit(async () => {
    const address = url.trim();
    if (!hook && address === '') throw fieldProblem('url', 'Give the address of the incoming webhook.');
    const saved = await api.put<HookAnswer>(chatHookPath(projectId), {
      ...(address !== '' && { url: address }),
      kinds,
      minimum_risk_tier: tier,
    });
    client.setQueryData(chatHookQuery(projectId).queryKey, saved);
    toast(hook ? 'The chat’s settings are saved.' : 'The chat is connected.', 'good');
  });
  return (
    <form className="stack" onSubmit={submit} noValidate>
      <ErrorPanel error={exceptFields(error, 'url')} />
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
        spellCheck={false}
        placeholder="https://hooks.slack.com/services/…"
        value={url}
        error={fieldError(error, 'url')}
        onChange={(event) => setUrl(event.target.value)}
      />
      <fieldset className="stack tight">
        <legend className="field-label">What it hears of</legend>
        {KINDS.map(({ kind, label }) => (
          <Checkbox
            key={kind}
            label={label}
            checked={kinds.includes(kind)}
            onChange={({ target }) =>
              setKinds(target.checked ? [...kinds, kind] : kinds.filter((other) => other !== kind))
            }
          />
        ))}
      </fieldset>
      <Select
        label="Of which requests"
        options={LEAST_RISK}
        value={tier}
        onChange={(event) => setTier(event.target.value as Hook['minimum_risk_tier'])}
      />
      <div className="button-row">
        <Button type="submit" tone="primary" busy={busy}>
          {hook ? 'Save' : 'Connect'}
        </Button>
      </div>
    </form>
  );
}
