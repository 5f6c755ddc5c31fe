import { useMemo } from 'react';
import { InertText } from '../../../../inert-text/inert-text.tsx';
import { Badge } from '../../../../ui/badge.tsx';
import { diffLines, withContext } from '../document/diff-lines.ts';
import { diffPolicies, isEmptyDifference, type RuleDifference } from '../document/diff-policies.ts';
import { explainDefault, explainRule } from '../document/explain-rule.ts';
import { formatJson } from '../document/format-json.ts';
import { asPolicyDocument, type PolicyDocument, type PolicyRule } from '../document/policy-document.ts';
import { Sentence } from '../editor/sentence.tsx';
import type { Policy } from '../wire.ts';
import * as words from './review.words.ts';

type PolicyJson = Policy['policy'];

/** The difference between two policies: by rule as sentences, and by line as text. */
export function Difference({ before, after }: { before: PolicyJson; after: PolicyJson }) {
  const old = asPolicyDocument(before);
  const fresh = asPolicyDocument(after);
  return (
    <div className="policy-difference">
      {old && fresh && <ByRule before={old} after={fresh} />}
      <details open={!old || !fresh}>
        <summary>{words.asJson}</summary>
        <ByLine before={before} after={after} />
      </details>
    </div>
  );
}

function ByRule({ before, after }: { before: PolicyDocument; after: PolicyDocument }) {
  const difference = useMemo(() => diffPolicies(before, after), [before, after]);
  if (isEmptyDifference(difference)) return <p>{words.noDifference}</p>;
  return (
    <ul className="policy-changes">
      {difference.name && (
        <li>
          {words.renamed(
            <strong>{words.name}</strong>,
            <InertText text={difference.name.before} />,
            <InertText text={difference.name.after} />,
          )}
        </li>
      )}
      {difference.default && (
        <li data-kind="changed">
          <Badge tone="warn">{words.kinds.changed}</Badge> <strong>{words.byDefault}</strong>
          <del data-label={words.before}>
            <Sentence parts={explainDefault(difference.default.before)} />
          </del>
          <ins data-label={words.after}>
            <Sentence parts={explainDefault(difference.default.after)} />
          </ins>
        </li>
      )}
      {difference.mayNarrow && (
        <li data-kind="changed">
          <Badge tone="warn">{words.kinds.changed}</Badge>{' '}
          {difference.mayNarrow.after ? words.mayNarrow : words.mayNotNarrow}
        </li>
      )}
      {difference.rules.map((rule) => (
        <RuleChange key={`${rule.kind} ${rule.name}`} change={rule} before={before} after={after} />
      ))}
    </ul>
  );
}

const TONES = { added: 'good', removed: 'bad', changed: 'warn' } as const;

function RuleChange({
  change,
  before,
  after,
}: {
  change: RuleDifference;
  before: PolicyDocument;
  after: PolicyDocument;
}) {
  return (
    <li data-kind={change.kind}>
      <Badge tone={TONES[change.kind]}>{words.kinds[change.kind]}</Badge>{' '}
      <strong>
        <InertText text={change.name} />
      </strong>
      {change.kind === 'changed' && <span className="soft small"> {change.properties.join(', ')}</span>}
      {change.kind !== 'added' && (
        <del data-label={words.before}>
          <RuleSentence rule={change.before} fallback={before.default} />
        </del>
      )}
      {change.kind !== 'removed' && (
        <ins data-label={words.after}>
          <RuleSentence rule={change.after} fallback={after.default} />
        </ins>
      )}
    </li>
  );
}

function RuleSentence({ rule, fallback }: { rule: PolicyRule; fallback: PolicyDocument['default'] }) {
  return <Sentence parts={explainRule(rule, fallback)} />;
}

const SIGNS = { same: ' ', added: '+', removed: '−' } as const;

function ByLine({ before, after }: { before: PolicyJson; after: PolicyJson }) {
  const lines = useMemo(() => withContext(diffLines(formatJson(before), formatJson(after))), [before, after]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard
    <pre className="policy-lines" tabIndex={0}>
      {lines.map((line, index) => {
        const key = `${index}`;
        if (!line) return <span key={key}>⋯{'\n'}</span>;
        return (
          <span key={key} data-kind={line.kind}>
            {SIGNS[line.kind]} <InertText text={line.text} />
            {'\n'}
          </span>
        );
      })}
    </pre>
  );
}
