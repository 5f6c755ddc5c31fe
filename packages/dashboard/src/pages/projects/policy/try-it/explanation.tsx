import { InertText } from '../../../../inert-text/inert-text.tsx';
import { Badge } from '../../../../ui/badge.tsx';
import { Button } from '../../../../ui/button.tsx';
import { Card } from '../../../../ui/card.tsx';
import { RISK_WORDS } from '../../../../ui/risk-choices.ts';
import { explainRequirement } from '../document/explain-rule.ts';
import type { PolicyDocument, PolicyRule } from '../document/policy-document.ts';
import { EffectBadge } from '../editor/effect-badge.tsx';
import { Sentence } from '../editor/sentence.tsx';
import * as policyWords from '../policy.words.ts';
import type { PolicyExplanation } from '../wire.ts';
import { sayResult, whyOutcome } from './explanation-sentences.ts';
import { valuesMentioned } from './sample.ts';
import * as words from './try-it.words.ts';

const TONES = { allow: 'good', require_approval: 'warn', deny: 'bad' } as const;
const PART_TONES = { decides: 'good', adds: 'info', outweighed: 'neutral', nothing: 'neutral' } as const;

/** The outcome, its reason, and the result of each rule. */
export function Explanation({
  explanation,
  document,
  onTakeOver,
}: {
  explanation: PolicyExplanation;
  document: PolicyDocument | undefined;
  onTakeOver: (() => void) | undefined;
}) {
  const { outcome, request } = explanation;
  const rules = new Map(document?.rules.map((rule) => [rule.name, rule]));
  return (
    <>
      <Card title={words.outcomes[outcome.effect]} tone={TONES[outcome.effect]}>
        <p>{whyOutcome(explanation)}</p>
        {outcome.reason !== null && (
          <p>
            “<InertText text={outcome.reason} />”
          </p>
        )}
        {outcome.requirement.length > 0 && <Sentence parts={explainRequirement(outcome.requirement)} />}
        <p className="soft small">
          {words.evaluated(
            <InertText text={request.action} />,
            RISK_WORDS[outcome.risk_tier],
            policyWords.proofs[outcome.proof_tier],
          )}{' '}
          {onTakeOver && (
            <Button size="s" onClick={onTakeOver}>
              {words.editSample}
            </Button>
          )}
        </p>
      </Card>
      <Card title={words.byRule}>
        {explanation.rules.length === 0 && <p>{words.noRules}</p>}
        <ul className="policy-rule-results">
          {explanation.rules.map((result) => (
            <RuleResult key={result.rule} result={result} rule={rules.get(result.rule)} request={request} />
          ))}
        </ul>
      </Card>
    </>
  );
}

function RuleResult({
  result,
  rule,
  request,
}: {
  result: PolicyExplanation['rules'][number];
  rule: PolicyRule | undefined;
  request: PolicyExplanation['request'];
}) {
  const isEvaluated = result.verdict !== 'not_matched' || result.because === 'condition';
  const values = isEvaluated && rule?.when ? valuesMentioned(rule.when, request) : [];
  return (
    <li data-part={result.part}>
      <div className="row apart">
        <strong>
          <InertText text={result.rule} />
        </strong>
        <span className="row">
          <EffectBadge effect={result.effect} />
          <Badge tone={PART_TONES[result.part]}>{words.parts[result.part]}</Badge>
        </span>
      </div>
      <p className="small">{sayResult(result)}</p>
      {isEvaluated && rule?.when && (
        <p className="small">
          <code>
            <InertText text={rule.when} />
          </code>
        </p>
      )}
      {values.length > 0 && (
        <p className="soft small">
          {words.evaluatedWith}{' '}
          {values.map(({ name, value }, index) => (
            <span key={name} className="mono">
              {index > 0 && ', '}
              {name} = <InertText text={value} />
            </span>
          ))}
        </p>
      )}
    </li>
  );
}
