import { InertText } from '../../../../inert-text/inert-text.tsx';
import { Badge } from '../../../../ui/badge.tsx';
import { Button } from '../../../../ui/button.tsx';
import { Card } from '../../../../ui/card.tsx';
import { explainRequirement } from '../document/explain-rule.ts';
import type { PolicyDocument, PolicyRule } from '../document/policy-document.ts';
import { EffectBadge } from '../editor/effect-badge.tsx';
import { Sentence } from '../editor/sentence.tsx';
import type { PolicyExplanation } from '../wire.ts';
import { ruleSaid, whyOutcome } from './explanation-words.ts';
import { valuesMentioned } from './sample.ts';

const TITLES = {
  allow: 'It would be allowed at once',
  require_approval: 'People would be asked',
  deny: 'It would be denied',
} as const;
const TONES = { allow: 'good', require_approval: 'warn', deny: 'bad' } as const;
const PART_TONES = { decides: 'good', adds: 'info', outweighed: 'neutral', nothing: 'neutral' } as const;
const PART_WORDS = {
  decides: 'Decides',
  adds: 'Counts too',
  outweighed: 'Outweighed',
  nothing: 'Says nothing',
};

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
      <Card title={TITLES[outcome.effect]} tone={TONES[outcome.effect]}>
        <p>{whyOutcome(explanation)}</p>
        {outcome.reason !== null && (
          <p>
            “<InertText text={outcome.reason} />”
          </p>
        )}
        {outcome.requirement.length > 0 && <Sentence parts={explainRequirement(outcome.requirement)} />}
        <p className="soft small">
          Asked about <InertText text={request.action} />, at risk {outcome.risk_tier}, proof of presence{' '}
          {outcome.proof_tier}.{' '}
          {onTakeOver && (
            <Button size="s" onClick={onTakeOver}>
              Change it and ask again
            </Button>
          )}
        </p>
      </Card>
      <Card title="Rule by rule">
        {explanation.rules.length === 0 && <p>There are no rules.</p>}
        <ul className="policy-said">
          {explanation.rules.map((said) => (
            <RuleSaid key={said.rule} said={said} rule={rules.get(said.rule)} request={request} />
          ))}
        </ul>
      </Card>
    </>
  );
}

function RuleSaid({
  said,
  rule,
  request,
}: {
  said: PolicyExplanation['rules'][number];
  rule: PolicyRule | undefined;
  request: PolicyExplanation['request'];
}) {
  const asked = said.verdict !== 'not_matched' || said.because === 'condition';
  const values = asked && rule?.when ? valuesMentioned(rule.when, request) : [];
  return (
    <li data-part={said.part}>
      <div className="row apart">
        <strong>
          <InertText text={said.rule} />
        </strong>
        <span className="row">
          <EffectBadge effect={said.effect} />
          <Badge tone={PART_TONES[said.part]}>{PART_WORDS[said.part]}</Badge>
        </span>
      </div>
      <p className="small">{ruleSaid(said)}</p>
      {asked && rule?.when && (
        <p className="small">
          <code>
            <InertText text={rule.when} />
          </code>
        </p>
      )}
      {values.length > 0 && (
        <p className="soft small">
          There:{' '}
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
