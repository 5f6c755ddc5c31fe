import type { ReactNode } from 'react';
import { ApiError, fieldError } from '../../../api/api-error.ts';
import type { RiskTier } from '../../../ui/badge.tsx';
import { Button, IconButton } from '../../../ui/button.tsx';
import { RISK_TIERS } from '../../../ui/risk-choices.ts';
import { Select } from '../../../ui/select.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import type { Agent } from '../project-frame/wire.ts';
import './agent-form.css';

/** What is said of an agent, as it is typed. */
export interface AgentDraft {
  name: string;
  framework: string;
  riskTier: RiskTier;
  labels: readonly { id: number; name: string; value: string }[];
}

export const NEW_AGENT: AgentDraft = { name: '', framework: '', riskTier: 'low', labels: [] };

export function toDraft(agent: Agent): AgentDraft {
  return {
    name: agent.name,
    framework: agent.framework ?? '',
    riskTier: agent.risk_tier,
    labels: Object.entries(agent.labels).map(([name, value], id) => ({ id, name, value: String(value) })),
  };
}

/** The same as the gate takes it. Labels keep the type they had: a number typed over stays one. */
export function toProfile({ name, framework, riskTier, labels }: AgentDraft, before: Agent['labels'] = {}) {
  return {
    name,
    framework: framework.trim() === '' ? null : framework,
    risk_tier: riskTier,
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
  draft,
  onChange,
  onSubmit,
  error,
  isFolded = false,
  actions,
}: {
  draft: AgentDraft;
  onChange: (draft: AgentDraft) => void;
  onSubmit: () => void;
  error: unknown;
  /** A name is enough: the rest is behind *More options*. */
  isFolded?: boolean;
  /** With the submit button. */
  actions: ReactNode;
}) {
  const more = (
    <>
      <TextField
        label="Framework"
        optional
        hint="What it is built with."
        value={draft.framework}
        maxLength={100}
        error={fieldError(error, 'framework')}
        onChange={(event) => onChange({ ...draft, framework: event.target.value })}
      />
      <Select
        label="Minimum risk"
        hint="Its requests are never shown as less risky than this, whatever it says."
        options={RISK_TIERS.map((tier) => ({ value: tier, label: tier }))}
        value={draft.riskTier}
        error={fieldError(error, 'risk_tier')}
        onChange={(event) => onChange({ ...draft, riskTier: event.target.value as RiskTier })}
      />
      <Labels draft={draft} onChange={onChange} error={error} />
    </>
  );
  const hasFoldedError =
    error instanceof ApiError && error.fields.some(({ path }) => path.replace(/^\//, '') !== 'name');
  return (
    <form
      className="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <TextField
        label="Name"
        hint="Unique in the project; approvers see it with every request, for instance refund-bot."
        value={draft.name}
        maxLength={100}
        autoCapitalize="none"
        error={fieldError(error, 'name')}
        onChange={(event) => onChange({ ...draft, name: event.target.value })}
      />
      {isFolded ? (
        <details className="more-options" open={hasFoldedError || undefined}>
          <summary>More options</summary>
          <div className="stack">{more}</div>
        </details>
      ) : (
        more
      )}
      <div className="button-row">{actions}</div>
    </form>
  );
}

function Labels({
  draft,
  onChange,
  error,
}: {
  draft: AgentDraft;
  onChange: (draft: AgentDraft) => void;
  error: unknown;
}) {
  const { labels } = draft;
  const add = () => {
    const id = Math.max(-1, ...labels.map((label) => label.id)) + 1;
    onChange({ ...draft, labels: [...labels, { id, name: '', value: '' }] });
  };
  const change = (id: number, part: { name?: string; value?: string }) =>
    onChange({
      ...draft,
      labels: labels.map((label) => (label.id === id ? { ...label, ...part } : label)),
    });
  return (
    <fieldset className="stack tight">
      <legend className="field-label">
        Labels <span className="optional">(optional)</span>
      </legend>
      <p className="soft small">For policies to go by, for instance team: payments.</p>
      {labels.map((label, at) => (
        <div key={label.id} className="agent-label">
          <TextField
            label={`Label ${at + 1}`}
            value={label.name}
            maxLength={63}
            error={fieldError(error, `labels.${label.name.trim()}`)}
            onChange={(event) => change(label.id, { name: event.target.value })}
          />
          <TextField
            label="Value"
            aria-label={`Value of label ${at + 1}`}
            value={label.value}
            maxLength={200}
            onChange={(event) => change(label.id, { value: event.target.value })}
          />
          <IconButton
            icon="trash"
            label={`Remove label ${at + 1}`}
            onClick={() => onChange({ ...draft, labels: labels.filter(({ id }) => id !== label.id) })}
          />
        </div>
      ))}
      <div className="button-row">
        <Button size="s" icon="plus" onClick={add}>
          Add a label
        </Button>
      </div>
    </fieldset>
  );
}
