import { useId, useState } from 'react';
import { Button } from '../../../../ui/button.tsx';
import { later } from '../../../../ui/later.tsx';
import { Notice } from '../../../../ui/notice.tsx';
import { Segmented } from '../../../../ui/segmented.tsx';
import { Waiting } from '../../../../ui/waiting.tsx';
import { explainDefault } from '../document/explain-rule.ts';
import type { LocatedFinding } from '../document/locate-findings.ts';
import type { PolicyDocument, PolicyRule } from '../document/policy-document.ts';
import type { DraftCheck } from '../draft/use-check.ts';
import type { Draft } from '../draft/use-draft.ts';
import type { Jump } from './code-editor.tsx';
import { DefaultDialog } from './default-dialog.tsx';
import * as words from './editor.words.ts';
import { FindingsList } from './findings-list.tsx';
import { RuleCard } from './rule-card.tsx';
import { RuleDialog } from './rule-dialog.tsx';
import { NEW_RULE } from './rule-form.ts';
import { Sentence } from './sentence.tsx';

const CodeEditor = later(() => import('./code-editor.tsx'), 'default', <Waiting label={words.loading} />);

/** The open form: a rule by its index, a new rule, or the default. */
type Form = { kind: 'rule'; index: number } | { kind: 'new' } | { kind: 'default' };

/** The draft in two views: rules as sentences, and the policy's text. A change in one appears in the other. */
export function PolicyEditor({
  draft,
  check,
  isEditable,
}: {
  draft: Draft;
  check: DraftCheck;
  isEditable: boolean;
}) {
  // A phone shows one of the two; a wider window shows both.
  const [side, setSide] = useState<'rules' | 'text'>('rules');
  const [jump, setJump] = useState<Jump | null>(null);
  const id = useId();
  const goTo = (range: Jump['range']) => {
    setSide('text');
    setJump({ range });
  };
  return (
    <div className="policy-editor" data-side={side}>
      <div className="policy-sides">
        <Segmented
          legend={words.views.legend}
          options={[
            { value: 'rules', label: words.views.rules },
            { value: 'text', label: words.views.json },
          ]}
          value={side}
          onChange={setSide}
        />
      </div>
      <section className="policy-rules" aria-labelledby={`${id}-rules`}>
        <h2 id={`${id}-rules`} className="unseen">
          {words.views.rules}
        </h2>
        {draft.document ? (
          <Rules document={draft.document} draft={draft} check={check} isEditable={isEditable} goTo={goTo} />
        ) : (
          <Notice tone="warn">{words.notShownAsRules}</Notice>
        )}
      </section>
      <section className="policy-text" aria-labelledby={`${id}-text`}>
        <h2 id={`${id}-text`} className="unseen">
          {words.views.json}
        </h2>
        <CodeEditor
          label={words.policyJson}
          text={draft.text}
          onChange={draft.setText}
          findings={check.findings}
          findingsText={check.text}
          isReadOnly={!isEditable}
          jump={jump}
        />
        <FindingsList findings={check.findings} onJump={({ range }) => goTo(range)} />
      </section>
    </div>
  );
}

function Rules({
  document,
  draft,
  check,
  isEditable,
  goTo,
}: {
  document: PolicyDocument;
  draft: Draft;
  check: DraftCheck;
  isEditable: boolean;
  goTo: (range: Jump['range']) => void;
}) {
  const [form, setForm] = useState<Form | null>(null);
  const { rules, default: fallback } = document;
  const ranges = draft.located.ok ? draft.located.ranges : undefined;
  const show = (pointer: string) => {
    const range = ranges?.get(pointer);
    if (range) goTo(range);
  };
  const setRules = (changed: readonly PolicyRule[]) => draft.setDocument({ ...document, rules: changed });
  return (
    <>
      <ul className="policy-rule-list">
        {rules.map((rule, index) => (
          <RuleCard
            // biome-ignore lint/suspicious/noArrayIndexKey: two rules may share a name during editing
            key={index}
            rule={rule}
            fallback={fallback}
            findings={findingsOf(check, `/rules/${index}`)}
            isEditable={isEditable}
            onShow={() => show(`/rules/${index}`)}
            onEdit={() => setForm({ kind: 'rule', index })}
            onRemove={() => setRules(rules.filter((_, at) => at !== index))}
            onJump={({ range }) => goTo(range)}
          />
        ))}
        <li className="policy-rule" data-effect="default">
          <div className="policy-rule-head">
            <h3>{words.byDefault}</h3>
          </div>
          <Sentence parts={explainDefault(fallback)} />
          {document.requester_may_narrow === false && <p>{words.noNarrowing}</p>}
          <FindingsList findings={findingsOf(check, '/default')} onJump={({ range }) => goTo(range)} />
          <div className="button-row">
            {isEditable && (
              <Button size="s" onClick={() => setForm({ kind: 'default' })}>
                {words.edit}
              </Button>
            )}
            <Button size="s" tone="quiet" onClick={() => show('/default')}>
              {words.showInJson}
            </Button>
          </div>
        </li>
      </ul>
      {isEditable && (
        <Button icon="plus" onClick={() => setForm({ kind: 'new' })}>
          {words.addRule}
        </Button>
      )}
      <Forms
        form={form}
        document={document}
        onClose={() => setForm(null)}
        onChange={(changed) => {
          draft.setDocument(changed);
          setForm(null);
        }}
      />
    </>
  );
}

function Forms({
  form,
  document,
  onChange,
  onClose,
}: {
  form: Form | null;
  document: PolicyDocument;
  onChange: (document: PolicyDocument) => void;
  onClose: () => void;
}) {
  if (form === null) return null;
  const { rules, default: fallback } = document;
  if (form.kind === 'default') {
    return (
      <DefaultDialog
        fallback={fallback}
        onClose={onClose}
        onDone={(changed) => onChange({ ...document, default: changed })}
      />
    );
  }
  const at = form.kind === 'new' ? rules.length : form.index;
  return (
    <RuleDialog
      rule={rules[at] ?? NEW_RULE}
      taken={rules.filter((_, index) => index !== at).map(({ name }) => name)}
      fallback={fallback}
      onClose={onClose}
      onDone={(rule) =>
        onChange({ ...document, rules: [...rules.slice(0, at), rule, ...rules.slice(at + 1)] })
      }
    />
  );
}

function findingsOf({ findings }: DraftCheck, pointer: string): LocatedFinding[] {
  return findings.filter(({ path }) => path === pointer || path.startsWith(`${pointer}/`));
}
