import type { ReactNode } from 'react';
import { ApiError, fieldError } from '../../../api/api-error.ts';
import type { Form } from '../../../api/use-form.ts';
import type { RiskTier } from '../../../ui/badge.tsx';
import { Button, IconButton } from '../../../ui/button.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import { RISK_CHOICES } from '../../../ui/risk-choices.ts';
import { Select } from '../../../ui/select.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import type { Agent } from '../project-frame/wire.ts';
import * as words from './agents.words.ts';
import './agent-form.css';

/** The profile of an agent, as typed. */
export interface AgentDraft {
  name: string;
  framework: string;
  risk_tier: RiskTier;
  labels: readonly { id: number; name: string; value: string }[];
}

export const NEW_AGENT: AgentDraft = { name: '', framework: '', risk_tier: 'low', labels: [] };

export function toDraft(agent: Agent): AgentDraft {
  return {
    name: agent.name,
    framework: agent.framework ?? '',
    risk_tier: agent.risk_tier,
    labels: Object.entries(agent.labels).map(([name, value], id) => ({ id, name, value: String(value) })),
  };
}

/** The profile as the gate accepts it. A label keeps its type: a changed number stays a number. */
export function toProfile({ name, framework, risk_tier, labels }: AgentDraft, before: Agent['labels'] = {}) {
  return {
    name,
    framework: framework.trim() === '' ? null : framework,
    risk_tier,
    labels: Object.fromEntries(
      labels
        .filter((label) => label.name.trim() !== '')
        .map((label) => [label.name.trim(), sameType(before[label.name.trim()], label.value)]),
    ),
  };
}

function sameType(before: unknown, text: string): string | number | boolean {
  if (typeof before === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
  if (typeof before === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

export function AgentForm({
  form,
  isFolded = false,
  submitLabel,
  children,
}: {
  form: Form<AgentDraft>;
  /** The name is enough; the other fields are behind *More options*. */
  isFolded?: boolean;
  submitLabel: string;
  /** Next to the submit button. */
  children?: ReactNode;
}) {
  const { error, field } = form;
  const fields = error instanceof ApiError ? error.fields : [];
  const more = (
    <>
      <TextField
        label={words.properties.framework}
        optional
        hint={words.hints.framework}
        maxLength={100}
        {...field('framework')}
      />
      <Select
        label={words.properties.risk}
        hint={words.hints.risk}
        options={RISK_CHOICES}
        {...field('risk_tier')}
      />
      <Labels form={form} />
    </>
  );
  return (
    <form className="stack" noValidate onSubmit={(event) => void form.submit(event)}>
      {fields.length === 0 && <ErrorPanel error={error} />}
      <TextField
        label={words.properties.name}
        hint={words.hints.name}
        maxLength={100}
        autoCapitalize="none"
        {...field('name')}
      />
      {isFolded ? (
        <details
          className="more-options"
          open={fields.some(({ path }) => path.replace(/^\//, '') !== 'name') || undefined}
        >
          <summary>{words.moreOptions}</summary>
          <div className="stack">{more}</div>
        </details>
      ) : (
        more
      )}
      <div className="button-row">
        <Button type="submit" tone="primary" busy={form.busy}>
          {submitLabel}
        </Button>
        {children}
      </div>
    </form>
  );
}

function Labels({ form }: { form: Form<AgentDraft> }) {
  const { error, set } = form;
  const { labels } = form.draft;
  const add = () => {
    const id = Math.max(-1, ...labels.map((label) => label.id)) + 1;
    set({ labels: [...labels, { id, name: '', value: '' }] });
  };
  const change = (id: number, part: { name?: string; value?: string }) =>
    set({ labels: labels.map((label) => (label.id === id ? { ...label, ...part } : label)) });
  return (
    <fieldset className="stack tight">
      <legend className="field-label">
        {words.properties.labels} <span className="optional">{words.optional}</span>
      </legend>
      <p className="soft small">{words.hints.labels}</p>
      {labels.map((label, at) => (
        <div key={label.id} className="agent-label">
          <TextField
            label={words.label(at + 1)}
            value={label.name}
            maxLength={63}
            error={fieldError(error, `labels.${label.name.trim()}`)}
            onChange={(event) => change(label.id, { name: event.target.value })}
          />
          <TextField
            label={words.labelValue}
            aria-label={words.valueOfLabel(at + 1)}
            value={label.value}
            maxLength={200}
            onChange={(event) => change(label.id, { value: event.target.value })}
          />
          <IconButton
            icon="trash"
            label={words.removeLabel(at + 1)}
            onClick={() => set({ labels: labels.filter(({ id }) => id !== label.id) })}
          />
        </div>
      ))}
      <div className="button-row">
        <Button size="s" icon="plus" onClick={add}>
          {words.addLabel}
        </Button>
      </div>
    </fieldset>
  );
}
